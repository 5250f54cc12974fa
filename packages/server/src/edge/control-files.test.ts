import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startEdge } from './edge.test-kit.ts'

const secret = '/*\n  Basic-Auth: mia:pa55word\n'
const names = [
  ...['_redirects', '_headers', 'netlify.toml', 'vercel.json', 'masthead.json', 'masthead.yaml'],
  ...['masthead.yml', '.nojekyll', 'CNAME', '_routes.json', '_worker.js'],
]

/** Spellings of a path that mean the same file, or would on some system. */
function spellings(name: string): string[] {
  const escaped = Array.from(name, (one) => `%${one.charCodeAt(0).toString(16)}`).join('')
  return [
    ...[`/${name}`, `//${name}`, `/./${name}`, `/docs/../${name}`, `/${name}?`, `/${name}?x=1`, `/${name}/`],
    ...[
      `/${escaped}`,
      `/${escaped.toUpperCase()}`,
      `/%2F${name}`,
      `/${name}%00`,
      `/%2e/${name}`,
      `/\\${name}`,
    ],
    ...[
      `/${name.toUpperCase()}`,
      `/${name.toLowerCase()}`,
      `/${name}.`,
      `/${name}%20`,
      `/%5f${name.slice(1)}`,
    ],
    ...[`http://hello.masthead.localhost/${name}`],
  ]
}

test('files that configure a site are missing files to visitors, under every spelling', async () => {
  await using edge = await startEdge()
  const files: Record<string, string> = {
    '/index.html': 'front',
    '/404.html': 'gone',
    '/docs/_headers': 'a guide',
  }
  for (const name of names) for (const one of [name, name.toUpperCase()]) files[`/${one}`] = secret
  for (const [label, htmlHandling] of [
    ['hello', 'auto'],
    ['bare', 'none'],
  ] as const) {
    await edge.publish(label, files, { encoded: true, htmlHandling })
    const host = `${label}.masthead.localhost`
    for (const path of names.flatMap(spellings)) {
      for (const fields of [
        {},
        { range: 'bytes=0-5' },
        { accept: 'application/json' },
        { 'if-none-match': '*' },
        { 'accept-encoding': 'br' },
      ]) {
        const { status, body } = await edge.ask(path, { host, ...fields })
        assert.ok(!body.toString('latin1').includes('pa55word'), `${path} ${JSON.stringify(fields)}`)
        assert.equal(status, 404, `${path} ${JSON.stringify(fields)}`)
      }
      assert.equal((await edge.ask(path, { host }, 'HEAD')).status, 404, path)
    }
    // Only the root of a site configures it.
    assert.equal((await edge.ask('/docs/_headers', { host })).body.toString(), 'a guide')
  }
})

test('a single-page app answers for them as for any missing path', async () => {
  await using edge = await startEdge()
  await edge.publish('hello', { '/index.html': 'app', '/_headers': secret }, { singlePage: true })
  assert.equal((await edge.ask('/_headers')).body.toString(), 'app')
  assert.equal((await edge.ask('/_headers', { accept: 'application/json' })).status, 404)
})

test('the server code of Cloudflare Pages is a missing file, whatever rule leads to it', async () => {
  await using edge = await startEdge()
  const worker = { '/_worker.js/index.js': secret, '/_worker.js/chunks/Key.mjs': secret }
  const files = { '/index.html': 'front', '/docs/_worker.js': 'a guide', ...worker }
  await edge.publish(
    'hello',
    { ...files, '/_redirects': '/code/* /_worker.js/:splat 200' },
    { encoded: true },
  )
  for (const path of [
    ...Object.keys(worker).flatMap((one) => spellings(one.slice(1))),
    ...['/_worker.js', '/_worker.js/', '/_worker.js/index', '/code/index.js', '/code/chunks/Key.mjs'],
  ]) {
    const { status, body } = await edge.ask(path)
    assert.equal(status, 404, path)
    assert.ok(!body.toString('latin1').includes('pa55word'), path)
  }
  assert.equal((await edge.ask('/docs/_worker.js')).body.toString(), 'a guide')
})
