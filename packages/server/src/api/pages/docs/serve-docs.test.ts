import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { brotliDecompressSync } from 'node:zlib'
import { endpoints } from '@masthead/contract/endpoints.ts'
import { problems } from '@masthead/contract/problems.ts'
import Fastify from 'fastify'
import { createAddresses } from '../../../config/addresses.ts'
import { sendProblem } from '../../problem-response.ts'
import { serveDocs } from './serve-docs.ts'

const docsFolder = join(import.meta.dirname, '../../../../../../docs')
const addresses = createAddresses({
  platformDomain: 'pages.acme.dev',
  dashboardHost: 'masthead.acme.dev',
  httpPort: 80,
  publicHttpsPort: 443,
  httpsRedirect: true,
})

function server(folder = docsFolder) {
  const app = Fastify()
  app.setErrorHandler(sendProblem)
  serveDocs(app, {
    addresses,
    packages: { commandLine: null, client: null, contract: null },
    dashboardFolder: null,
    docsFolder: folder,
    version: '1.2.3',
  })
  after(() => app.close())
  return (url: string, headers: Record<string, string> = {}) => app.inject({ url, headers })
}
const get = server()

/** Every page, found by following links from the first one. */
async function everyPage(): Promise<Map<string, string>> {
  const pages = new Map<string, string>()
  const open = ['/docs']
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    if (pages.has(path)) continue
    const { statusCode, body, headers } = await get(path)
    assert.equal(statusCode, 200, path)
    pages.set(path, body)
    if (!String(headers['content-type']).startsWith('text/html')) continue
    for (const target of linksOf(body)) {
      const [file = ''] = target.split('#')
      if (/^\/(?:docs|llms)/.test(file)) open.push(file)
    }
  }
  return pages
}

function linksOf(html: string): string[] {
  return [...html.matchAll(/(?:href|src)="([^"]*)"/g)].map(([, target = '']) => target)
}

const pages = await everyPage()
const htmlPages = [...pages].filter(([, body]) => body.startsWith('<!doctype html>'))

test('every guide of the list is a page, in HTML and in Markdown', async () => {
  const files = (await readdir(docsFolder)).filter((name) => name.endsWith('.md'))
  const inRepositoryOnly = ['README.md', 'dependencies.md']
  for (const file of files.filter((name) => !inRepositoryOnly.includes(name))) {
    assert.ok(pages.has(`/docs/${file.slice(0, -3)}`), file)
    assert.ok(pages.get(`/docs/${file}`)?.startsWith('# '), file)
  }
  assert.equal((await get('/docs/dependencies')).statusCode, 404)
})

test('every link leads to a page, and every anchor to a heading of it', () => {
  for (const [path, html] of htmlPages) {
    for (const target of linksOf(html).filter((one) => !/^https?:/.test(one))) {
      const [file = '', anchor] = target.split('#')
      if (file === '/') continue
      const page = pages.get(file === '' ? path : file)
      assert.ok(page !== undefined, `${path} links to ${target}`)
      if (anchor !== undefined) assert.ok(page.includes(` id="${anchor}"`), `${path} links to ${target}`)
    }
  }
})

test('links in Markdown lead to Markdown', async () => {
  for (const [path, text] of pages) {
    if (!path.endsWith('.md')) continue
    const prose = text.replaceAll(/^```[\s\S]*?^```/gm, '')
    for (const [, target = ''] of prose.matchAll(/\]\(([^)\s#]+)[^)]*\)/g)) {
      if (/^https?:/.test(target)) continue
      const { pathname } = new URL(target, `http://x${path}`)
      const { statusCode, headers } = await get(pathname)
      assert.equal(statusCode, 200, `${path} links to ${target}`)
      assert.match(String(headers['content-type']), /^(?:text\/markdown|image\/png|application\/json)/)
    }
  }
})

test('ids are unique, and headings follow each other without gaps', () => {
  for (const [path, html] of htmlPages) {
    const ids = [...html.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id)
    assert.equal(new Set(ids).size, ids.length, path)
    const depths = [...html.matchAll(/<h([1-6]) id/g)].map(([, depth]) => Number(depth))
    assert.equal(depths.filter((depth) => depth === 1).length, 1, path)
    for (const [index, depth] of depths.entries())
      assert.ok(depth <= (depths[index - 1] ?? 0) + 1, `${path}, heading ${index}`)
  }
})

test('every error code has its anchor, where problem documents say', async () => {
  const errors = pages.get('/docs/errors') ?? ''
  for (const code of Object.keys(problems)) assert.ok(errors.includes(` id="${code}"`), code)
})

test('examples have the address of this server', () => {
  for (const [path, text] of pages) {
    if (!path.endsWith('.md')) continue
    const commands = [...text.matchAll(/^```sh\n([\s\S]*?)^```/gm)].map(([, lines = '']) => lines).join('')
    assert.doesNotMatch(commands, /localhost:8080|masthead\.example\b(?!\.)|npx masthead /, path)
  }
  assert.ok(pages.get('/docs/api.md')?.includes('curl https://masthead.acme.dev/v1/projects'))
})

test('a page has a strict policy without inline code, and is sent again only if it changed', async () => {
  const first = await get('/docs/cli', { 'accept-encoding': 'gzip, br' })
  const policy = String(first.headers['content-security-policy'])
  assert.match(policy, /default-src 'none'/)
  assert.doesNotMatch(policy, /unsafe|https?:|\*/)
  assert.equal(first.headers['content-encoding'], 'br')
  assert.equal(brotliDecompressSync(first.rawPayload).toString(), pages.get('/docs/cli'))
  const again = await get('/docs/cli', { 'if-none-match': String(first.headers.etag) })
  assert.equal(again.statusCode, 304)
  assert.equal(again.body, '')
  for (const [, html] of htmlPages) assert.doesNotMatch(html, /<script>| style="| on\w+="/)
})

test('an address without a page says so, with a way on, and cannot leave the docs', async () => {
  for (const path of [
    '/docs/nothing',
    '/docs/decisions/README.md',
    '/docs/README.md',
    '/docs/../package.json',
    '/docs/%2e%2e/package.json',
    '/docs/..%2fpackage.json',
    '/docs/cli.MD',
    '/docs/<script>alert(1)</script>',
    '/docs/screens/usage-wide.png',
  ]) {
    const { statusCode, body } = await get(path)
    assert.equal(statusCode, 404, path)
    assert.doesNotMatch(body, /<script>alert/)
  }
  const { body } = await get('/docs/nothing')
  assert.match(body, /<h1>There is no such page<\/h1>/)
  assert.match(body, /href="\/docs"/)
})

test('a slash at the end is dropped', async () => {
  for (const [path, target] of [
    ['/docs/', '/docs'],
    ['/docs/cli/', '/docs/cli'],
  ] as const) {
    const { statusCode, headers } = await get(path)
    assert.equal(statusCode, 308)
    assert.equal(headers.location, target)
  }
})

test('search works without a script, within bounds', async () => {
  const { body, statusCode } = await get('/docs/search?q=rate+limit')
  assert.equal(statusCode, 200)
  assert.match(body, /class="results"[\s\S]*href="\/docs\/limits/)
  for (const url of [
    '/docs/search',
    '/docs/search?q=',
    '/docs/search?q=%00%ff',
    `/docs/search?q=${'x '.repeat(4_000)}`,
    '/docs/search?q=a&q=b',
    '/docs/search?q=%3Cb%3E',
  ])
    assert.equal((await get(url)).statusCode, 200, url.slice(0, 40))
  assert.ok(!(await get('/docs/search?q=%3Cb%3Ex')).body.includes('<b>x'))
})

test('programs find every page in llms.txt', async () => {
  const { body, headers } = await get('/llms.txt')
  assert.match(String(headers['content-type']), /^text\/plain/)
  assert.match(body, /^# Masthead\n\n> /)
  const listed = [...body.matchAll(/^- \[[^\]]+\]\((\/docs\/[^)]+\.md)\): \S/gm)].map(([, path]) => path)
  const markdown = [...pages.keys()].filter((path) => path.endsWith('.md') && path !== '/docs/index.md')
  assert.deepEqual(listed.sort(), markdown.sort())
})

test('a server without the guides says what is missing', async () => {
  const without = server('/nowhere')
  const { statusCode, body } = await without('/docs')
  assert.equal(statusCode, 404)
  assert.match(body, /The guides are missing/)
})

test('the address of the reference itself leads to one of its pages', async () => {
  const { statusCode, headers } = await get('/docs/reference')
  assert.equal(statusCode, 302)
  assert.ok(pages.has(String(headers.location)))
})

test('the reference has every route, with an example to run at its own anchor', () => {
  const reference = [...pages].filter(([path]) => /^\/docs\/reference\/[\w-]+$/.test(path))
  for (const [name, { route }] of Object.entries(endpoints)) {
    const page = reference.find(([, html]) => html.includes(` id="${name}"`))
    assert.ok(page?.[1].includes(`<code>${route}</code>`), route)
  }
  for (const [path, html] of reference) assert.doesNotMatch(html, /9007199254740991|undefined|\[object/, path)
})
