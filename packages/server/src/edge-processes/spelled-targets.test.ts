import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import fc from 'fast-check'
import { askStream } from '../edge/https.test-kit.ts'
import { dashboardName, onEachPlatform, type Platform } from './platform.test-kit.ts'

interface Seen {
  status: number
  limit: string | null
  remaining: string | null
  type: string
}

const wholeLimit = 60

/** Targets of the API, and some that look like it. */
const targets = [
  '/v1/server',
  '/v1/setup',
  '/v1/logins',
  '/v1/projects/x/deployments',
  '/v1/openapi.json',
  '/v1/nothing',
  '/v1',
  '/v1/',
  '/v2/projects',
  '/api/projects',
]

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'PROPFIND']

/** The same target in any spelling, with what a careless or hostile client adds. */
const spelledPath = fc
  .tuple(
    fc.constantFrom(...targets),
    fc.array(fc.constantFrom('plain', 'encoded', 'ENCODED', 'capital'), { minLength: 5, maxLength: 40 }),
    fc.constantFrom('', '', '', '/', '/.', '//', '/x/..', '/%2e%2e/v1/setup'),
    fc.constantFrom('', '?', '?a=1', '#', '#/x', ';x=1', '%3F', '%23', '%00', '%', '%zz', '?/../healthz'),
    fc.constantFrom('', '', '', '', '/', '/.', '/..', '/%2e'),
  )
  .map(([target, ways, after, end, before]) => {
    const letters = Array.from(target, (letter, index) => spell(letter, ways[index % ways.length] ?? 'plain'))
    return `${before}${letters.join('')}${after}${end}`
  })

function spell(letter: string, way: string): string {
  if (letter === '/' || way === 'plain') return letter
  if (way === 'capital') return letter.toUpperCase()
  const code = `%${letter.charCodeAt(0).toString(16)}`
  return way === 'ENCODED' ? code.toUpperCase() : code
}

const authority = fc.constantFrom(
  '',
  '',
  'http://localhost',
  'HTTP://localhost:80',
  'https://LOCALHOST',
  'http://127.0.0.1',
)

const seenIn = (status: number, header: (name: string) => string | null): Seen => ({
  status,
  limit: header('x-ratelimit-limit'),
  remaining: header('x-ratelimit-remaining'),
  type: header('content-type') ?? '',
})

/** Sends the raw target, from its own address. */
async function askRaw(
  { edge }: Platform,
  localAddress: string,
  method: string,
  target: string,
): Promise<Seen> {
  const socket = connect({ port: edge.plainPort, host: '127.0.0.1', localAddress })
  await once(socket, 'connect')
  socket.write(`${method} ${target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`)
  const [head = ''] = (await text(socket)).split('\r\n\r\n', 1)
  return seenIn(
    Number(head.split(' ')[1]),
    (name) => new RegExp(`^${name}: *(.*)$`, 'im').exec(head)?.[1] ?? null,
  )
}

let addresses = 0

/** An address that has not sent anything yet. */
function newAddress(): string {
  const number = ++addresses
  return `127.100.${(number >> 7) & 255}.${1 + (number & 127)}`
}

function assertCounted(seen: Seen, before: number, what: string): void {
  assert.equal(seen.limit, String(wholeLimit), `${what} tells the limit: ${JSON.stringify(seen)}`)
  assert.equal(seen.remaining, String(before - 1), `${what} is counted`)
}

onEachPlatform('a target of the API', (start) => {
  test('is answered with limit headers and counted in any spelling', async () => {
    await using platform = await start()
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...methods), authority, spelledPath, async (method, scheme, path) => {
        const target = `${scheme}${path}`
        const address = newAddress()
        assertCounted(await askRaw(platform, address, method, target), wholeLimit, `${method} ${target}`)
        assertCounted(
          await askRaw(platform, address, method, target),
          wholeLimit - 1,
          `${method} ${target} again`,
        )
      }),
      { numRuns: 150 },
    )
  })

  test('is refused in any spelling once the limit is used up', async () => {
    await using platform = await start()
    const address = newAddress()
    for (let count = 0; count < wholeLimit; count++) await askRaw(platform, address, 'GET', '/v1/server')
    for (const target of [
      '/%761/server',
      '/v%31/server',
      '/%76%31/setup',
      'http://localhost/v1/server',
      'http://localhost/%761/setup',
      '//v1/server',
      '/V1/server',
      '/v1/server/',
      '/./v1/server',
      '/v1/server?x',
      '/v2/server',
      '*',
    ]) {
      for (const method of ['GET', 'POST', 'OPTIONS']) {
        // A preflight is not counted.
        const isPreflight = method === 'OPTIONS' && /^(http:\/\/localhost)?\/[v%][^/]*[13]\//.test(target)
        const { status } = await askRaw(platform, address, method, target)
        assert.equal(status, isPreflight ? 204 : 429, `${method} ${target}`)
      }
    }
  })

  test('is counted in any spelling over HTTP/2', async () => {
    await using platform = await start()
    let remaining = wholeLimit
    const session = platform.edge.openSession(dashboardName)
    for (const target of [
      '/v1/server',
      '/%761/server',
      '/v%31/setup',
      '//v1/x',
      '/V1/x',
      '/v2/x',
      '/v1/./x',
      '/v1/%zz',
    ]) {
      const { status, headers } = await askStream(session, target)
      assertCounted(
        seenIn(status, (name) => String(headers[name] ?? '')),
        remaining--,
        target,
      )
    }
    session.destroy()
  })

  test('of another version or without a route gets a problem document, not a page', async () => {
    await using platform = await start()
    for (const target of [
      '/v2/projects',
      '/v10',
      '/V1/projects',
      '//v1/projects',
      '/api/projects',
      '/v1/',
      '/%762',
    ]) {
      const { status, type } = await askRaw(platform, newAddress(), 'GET', target)
      assert.deepEqual([status, type], [404, 'application/problem+json'], target)
    }
  })

  test('pages, files and health checks are not counted', async () => {
    await using platform = await start()
    const address = newAddress()
    for (const target of [
      '/',
      '/projects/v1',
      '/assets/index.js',
      '/%61ssets/index.js',
      '/healthz',
      '/docs/errors',
    ]) {
      const seen = await askRaw(platform, address, 'GET', target)
      assert.deepEqual([seen.status, seen.limit], [200, null], target)
    }
    assertCounted(await askRaw(platform, address, 'GET', '/v1/server'), wholeLimit, 'the first')
  })
})
