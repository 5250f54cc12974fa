import { newId } from '../kernel/ids.ts'
import type { startEdge } from './edge.test-kit.ts'

const text = 'All the news that fits. '.repeat(100)
const files = {
  '/index.html': '<h1>Hello</h1>',
  '/about.html': text,
  '/404.html': '<h1>Gone</h1>',
  '/empty.txt': '',
  '/café.txt': 'coffee',
  '/photo.jpg': Buffer.from(Array.from({ length: 3000 }, (_, at) => at % 256)),
  '/bundle.js': Buffer.alloc(100_000, 'let it = be\n'),
  '/book.txt': Buffer.alloc(400_000, 'Once upon a time. '),
}
const rules = {
  '/_redirects': [
    '/missing /about',
    '/old /about 308',
    '/bundle.js /book.txt 200!',
    '/app/* /about.html 200',
    '/no/* /404.html 404',
    '/ /about 302! Language=de',
    'https://ruled.acme.com/acme /about 303',
  ].join('\n'),
  '/_headers': [
    '/*',
    '  X-Frame-Options: DENY',
    '  Set-Cookie: a=1',
    '/about',
    '  Cache-Control: max-age=60',
    '  Content-Type: text/plain',
    '/app/:view',
    '  X-View: :view',
    'https://ruled.acme.com/*',
    '  X-Host: acme',
  ].join('\n'),
}
const plainHosts = [
  ...['hello', 'one--hello', 'bare', 'fresh'].map((label) => `${label}.masthead.localhost`),
  ...['www.acme.com', 'acme.com'],
]
const plainPaths = [
  ...['/', '/about', '/about?x=1', '/about.html?x=1', '/missing', '/missing/deep.html', '/empty.txt'],
  ...['/caf%C3%A9.txt', '//about', '/../about', '/%zz', '/photo.jpg', '/bundle.js', '/book.txt'],
]
const ruledPaths = ['/', '/about', '/old?x=1', '/app/caf%C3%A9', '/no/thing', '/_headers', '/bundle.js']

/** Every host with the paths to ask it for. */
export const requests: readonly (readonly [host: string, paths: readonly string[]])[] = [
  ...plainHosts.map((host) => [host, plainPaths] as const),
  ['ruled.masthead.localhost', ruledPaths],
  ['ruled.acme.com', ['/acme', '/about.html']],
]

export const get = (host: string, path: string, fields = '', method = 'GET') =>
  `${method} ${path} HTTP/1.1\r\nHost: ${host}\r\n${fields}\r\n`

/** Publishes sites of every kind at the hosts above. Returns the request headers to use. */
export async function publishAll(
  edge: Pick<Awaited<ReturnType<typeof startEdge>>, 'publish' | 'routes' | 'ask'>,
): Promise<string[]> {
  const deploymentId = newId('deployment', Date.parse('2026-11-15T10:20:30.456Z'))
  await edge.publish('hello', files, { encoded: true, deploymentId })
  await edge.publish('one--hello', files, { encoded: true })
  const ruled = newId('deployment', Date.parse('2026-11-15T11:20:30.456Z'))
  await edge.publish('ruled', { ...files, ...rules }, { encoded: true, deploymentId: ruled })
  await edge.publish('bare', { '/about.html': text })
  await edge.publish('fresh', {}, { deploymentId: null })
  edge.routes.set('www.acme.com', { kind: 'site', slug: 'hello' })
  edge.routes.set('ruled.acme.com', { kind: 'site', slug: 'ruled' })
  edge.routes.set('acme.com', { kind: 'redirect', slug: 'acme', to: 'www.acme.com', status: 301 })
  const { headers } = await edge.ask('/about', { 'accept-encoding': 'br' })
  return [
    '',
    'Accept-Encoding: gzip, deflate, br, zstd\r\n',
    'Accept-Encoding: gzip;q=0.5, br;q=0\r\n',
    `Accept-Encoding: br\r\nIf-None-Match: W/${headers.etag}, "other"\r\n`,
    'If-None-Match: *\r\n',
    'Range: bytes=1-5\r\n',
    'Range: bytes=-3\r\n',
    'Range: bytes=9999999-\r\n',
    'Range: bytes=0-1,3-4\r\n',
    'Range: bytes=0-1\r\nIf-Range: "other"\r\n',
    'Range: bytes=0-1\r\nIf-Match: "other"\r\n',
    'If-Match: *\r\nIf-Unmodified-Since: Mon, 01 Jan 1990 00:00:00 GMT\r\n',
    'If-Unmodified-Since: Mon, 01 Jan 1990 00:00:00 GMT\r\n',
    `If-Modified-Since: ${headers['last-modified']}\r\n`,
    'Sec-Fetch-Dest: empty\r\nAccept: */*\r\n',
    'Accept: application/json\r\n',
    'Accept-Language: de-AT, en;q=0.5\r\n',
  ]
}

/** Removes the date, the only thing in which two equal answers may differ. */
export function withoutTime(answers: string): string {
  return answers.replace(/(?<=\r\nDate: \w{3}, \d\d \w{3} \d{4} )[\d:]{8}/g, '')
}
