import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startEdge } from '../edge.test-kit.ts'

const navigation = { 'sec-fetch-dest': 'document', accept: 'text/html,*/*;q=0.8' }
const fetched = { 'sec-fetch-dest': 'empty', accept: '*/*' }
const varies = 'Accept-Encoding, Accept, Sec-Fetch-Dest'

test('a page requested by file name is shown to programs, and redirects browsers to its canonical path', async () => {
  await using edge = await startEdge()
  await edge.publish('hello', { '/index.html': 'front', '/about.html': 'about' }, { encoded: true })
  for (const [path, home, content] of [
    ['/index.html', '/', 'front'],
    ['/about.html', '/about', 'about'],
    ['/%61bout.html?v=1', '/about', 'about'],
  ] as const) {
    const program = await edge.ask(path, fetched)
    assert.deepEqual([program.status, program.body.toString()], [200, content])
    assert.equal(program.headers.link, `<${home}>; rel="canonical"`)
    assert.equal(program.headers.vary, varies)
    const tag = String(program.headers.etag)
    assert.equal((await edge.ask(path, { ...fetched, 'if-none-match': tag })).status, 304)
    const person = await edge.ask(path, navigation)
    assert.deepEqual([person.status, person.headers.vary], [307, 'Accept, Sec-Fetch-Dest'])
    assert.equal(person.headers.location?.split('?')[0], home)
    assert.equal((await edge.ask(path)).status, 307, 'and so do clients that tell nothing')
  }
  assert.equal((await edge.ask('/about', fetched)).headers.link, undefined)
})

test('redirects of a site with rules say which headers they depend on, those of its rules too', async () => {
  await using edge = await startEdge()
  const rules = '/about.html /de 302! Language=de\n/old /new\n'
  const files = { '/index.html': 'front', '/about.html': 'about', '/_redirects': rules }
  await edge.publish('hello', files, { encoded: true })
  for (const [path, home, vary] of [
    ['/index.html', '/', 'Accept, Sec-Fetch-Dest'],
    ['/about.html', '/about', 'Accept, Sec-Fetch-Dest, Accept-Language'],
  ] as const) {
    const { status, headers } = await edge.ask(path, navigation)
    assert.deepEqual([status, headers.location, headers.vary], [307, home, vary])
    assert.equal((await edge.ask(path, fetched)).status, 200)
  }
})

test('a path is answered alike again, in more spellings than are remembered and for every client', async () => {
  await using edge = await startEdge()
  await edge.publish('hello', { '/index.html': 'front', '/about.html': 'about' })
  const spellings = Array.from({ length: 32 }, (_, n) =>
    [...'about']
      .map((letter, at) => ((n >> at) & 1 ? `%${letter.charCodeAt(0).toString(16)}` : letter))
      .join(''),
  )
  for (let round = 0; round < 2; round++) {
    for (const spelling of spellings) {
      const page = await edge.ask(`/${spelling}`, navigation)
      assert.deepEqual([page.status, page.body.toString()], [200, 'about'])
      assert.equal((await edge.ask(`/${spelling}.html`, fetched)).status, 200)
      assert.equal((await edge.ask(`/${spelling}.html`, navigation)).status, 307)
      assert.equal((await edge.ask(`/${spelling}s`, navigation)).status, 404)
    }
  }
})

test('a single-page app answers navigations to its views, and 404 to everything else', async () => {
  await using edge = await startEdge()
  const files = { '/index.html': 'app', '/404.html': 'missing' }
  await edge.publish('hello', files, { singlePage: true, encoded: true })
  const view = await edge.ask('/users/7', navigation)
  assert.deepEqual([view.status, view.body.toString(), view.headers.vary], [200, 'app', varies])
  const json = await edge.ask('/users/7', { accept: 'application/json' })
  assert.deepEqual([json.status, json.body.toString(), json.headers.vary], [404, 'missing', varies])
  for (const path of [
    '/assets/none.js',
    '/robots.txt',
    '/.well-known/x',
    '/assets/NONE.CSS?v=2',
    '/a%2Ejs',
    '/apple-app-site-association',
  ]) {
    for (const headers of [{}, navigation, fetched, { 'sec-fetch-dest': 'script' }]) {
      assert.equal((await edge.ask(path, headers)).status, 404, path)
    }
  }
})

test('a view of a single-page app may end in an email address or a domain', async () => {
  await using edge = await startEdge()
  await edge.publish('hello', { '/index.html': 'app', '/404.html': 'missing' }, { singlePage: true })
  await edge.publish(
    'ruled',
    { '/index.html': 'app', '/404.html': 'missing', '/_redirects': '/old /new' },
    { singlePage: true },
  )
  for (const label of ['hello', 'ruled']) {
    const host = `${label}.masthead.localhost`
    for (const domain of 'com org ai me in pub cc sh pl so rs md au'.split(' ')) {
      const path = `/users/jane@example.${domain}`
      for (const headers of [navigation, { accept: navigation.accept }, { 'sec-fetch-dest': 'iframe' }]) {
        const view = await edge.ask(path, { host, ...headers })
        assert.deepEqual([view.status, view.body.toString()], [200, 'app'], path)
      }
      for (const headers of [fetched, { accept: 'application/json' }]) {
        assert.equal((await edge.ask(path, { host, ...headers })).status, 404, path)
      }
    }
  }
})
