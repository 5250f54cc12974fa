import assert from 'node:assert/strict'
import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { test } from 'node:test'
import { serverForFile } from '../../test/test-server.ts'
import { createWorkplace, type Workplace } from '../../test/workplace.ts'

const server = serverForFile()
const workplace = (files: Record<string, string> = {}) => createWorkplace(server(), files)

async function pathsOf({ client }: Workplace, project: string): Promise<string[]> {
  const active = (await client.getProject({ params: { project } })).activeDeployment
  assert.ok(active)
  const { items } = await client.listFiles({ params: { project, deployment: active.id } })
  return items.map(({ path }) => path)
}

function asker(site: string) {
  const { host, port } = new URL(site)
  return async (path: string) => {
    const [answer] = await once(get({ host: '127.0.0.1', port, path, headers: { host } }), 'response')
    answer.resume()
    return answer as IncomingMessage
  }
}

test('the rule or file that answers an address is explained, also for a preview, and to members only', async () => {
  await using place = await workplace({
    'why/index.html': 'hi',
    'why/about.html': 'about',
    'why/_redirects': '/ /de 302! Language=de\n/old id=1 /one\n/old /new 308\n/about /about.html 301!\n',
    'why/_headers':
      '/*\n  X-A: 1\n  X-Frame-Options: DENY\n/about\n  X-A: 2\n  X-Frame-Options: SAMEORIGIN\n',
  })
  const { stdout } = await place.run('deploy why')
  const site = stdout.trim()
  const explain = async (words: string) => (await place.run(`rules explain ${words}`)).stdout
  const old = await explain(`${site}/old?x=1`)
  assert.match(old, /^308 to \/new\?x=1, by a rule\n {2}_redirects line 3: \/old \/new 308\n/)
  assert.match(old, /Rules that did not apply:\n {2}_redirects line 2: .*\n {4}The query does not have/)
  const about = JSON.parse(await explain(`${site}/about --json`))
  assert.deepEqual([about.step, about.file, about.status, about.project], ['file', '/about.html', 200, 'why'])
  assert.deepEqual(
    about.passedOver.map(({ rule, why }: { rule: { line: number }; why: string }) => [rule.line, why]),
    [[4, 'Its target leads back to this address.']],
  )
  const own = about.headers.filter(({ name }: { name: string }) => ['X-A', 'X-Frame-Options'].includes(name))
  assert.deepEqual(own, [
    {
      name: 'X-A',
      value: '1, 2',
      from: [
        { file: '/_headers', line: 1 },
        { file: '/_headers', line: 4 },
      ],
    },
    { name: 'X-Frame-Options', value: 'SAMEORIGIN', from: [{ file: '/_headers', line: 4 }] },
  ])
  assert.match(await explain(`${site} --language de-AT`), /^302 to \/de, by a forced rule/)
  assert.match(await explain(`${site}/about.html`), /^307 to \/about, by HTML handling/)
  assert.match(await explain(`${site}/none`), /^404, by the page for what is missing: nothing has this path/)
  await place.write('why/_redirects', '/old /preview')
  const preview = JSON.parse((await place.run('deploy why --no-activate --json')).stdout)
  const other = await explain(`${site}/old --deployment ${preview.deployment}`)
  assert.match(other, /^301 to \/preview, by a rule/)
  assert.match(await explain(`${preview.url}/old`), /^301 to \/preview, by a rule/)
  assert.match(await explain(`${site}/old`), /^308/)
  const stranger = await server().newAccount()
  await assert.rejects(stranger.client.explainAddress({ query: { url: `${site}/old` } }), {
    code: 'not_found',
  })
  for (const words of [
    '',
    'nowhere',
    `${site} --deployment x`,
    'https://other.example/',
    'mailto:a@b.example',
  ]) {
    assert.notEqual((await place.run(`rules explain ${words}`.trim())).exitCode, 0, words)
  }
})

test('an explanation says what asks for a password, and for whom a rule was passed over', async () => {
  await using place = await workplace({
    'shut/index.html': 'hi',
    'shut/404.html': 'none',
    'shut/members/list.html': 'list',
    'shut/_redirects': '/way-in /members/list.html 200\n/at /somewhere Country=at\n',
    'shut/_headers':
      '/members/*\n  Basic-Auth: mia:pa55word\n  Cache-Control: public, max-age=60\n' +
      '/assets/*\n  Cache-Control: public, max-age=60\n/drafts/*\n  Cache-Control: no-store\n',
  })
  const { stdout, stderr } = await place.run('deploy shut')
  assert.match(stderr, /_redirects line 2: .*Country is not supported/)
  const site = stdout.trim()
  const explain = async (words: string) => (await place.run(`rules explain ${words}`)).stdout
  const said =
    /^200, by a rule\n.*\n {2}shows \/members\/list\.html\n {2}asks for a password first \(_headers line 1\), with status 401\n/
  assert.match(await explain(`${site}/way-in`), said)
  assert.doesNotMatch(await explain(site), /password/)
  const { protection } = JSON.parse(await explain(`${site}/members/list --json --country at`))
  assert.deepEqual(protection, [{ file: '/_headers', line: 1 }])
  for (const [path, value, from] of [
    ['/members/list', 'private, no-cache', []],
    ['/assets/none.js', 'public, max-age=0, must-revalidate', []],
    ['/drafts/none', 'no-store', [{ file: '/_headers', line: 6 }]],
  ] as const) {
    const { headers } = JSON.parse(await explain(`${site}${path} --json`))
    const caching = headers.find(({ name }: { name: string }) => name === 'Cache-Control')
    assert.deepEqual(caching, { name: 'Cache-Control', value, from }, path)
  }
  assert.equal((await place.run(`rules explain ${site} --country Austria`)).exitCode, 1)
  const body = { password: 'correct horse battery' }
  await place.client.setProtection({ params: { project: 'shut' }, body })
  assert.match(await explain(site), /asks for a password first \(settings of the project\), with status 401/)
  assert.equal(JSON.parse(await explain(`${site}/way-in --json`)).protection.length, 2)
})

test('rules of the project file are sent along, keep their lines, and can be left out', async () => {
  await using place = await workplace({
    'masthead.yaml': [
      'project: told',
      'folder: dist',
      '# Old addresses.',
      'redirects:',
      '  - { from: /old, to: /new, status: 308 }',
      '',
      '  - from: /api/*',
      '    to: https://api.example/:splat',
      '    status: 200',
      'headers:',
      '  - for: /*',
      '    values: { X-Frame-Options: DENY }',
      'notFound: /lost.html',
    ].join('\n'),
    'dist/index.html': 'hi',
    'dist/lost.html': 'lost',
  })
  const { stdout, stderr } = await place.run('deploy')
  const ask = asker(stdout)
  assert.match(stderr, /With the rules of masthead\.yaml \(--no-rules leaves them out\)/)
  assert.match(stderr, /masthead\.yaml line 7: .*proxying/)
  assert.deepEqual(await pathsOf(place, 'told'), ['/index.html', '/lost.html', '/masthead.yaml'])
  const moved = await ask('/old')
  assert.deepEqual([moved.statusCode, moved.headers.location], [308, '/new'])
  assert.equal((await ask('/')).headers['x-frame-options'], 'DENY')
  const missing = await ask('/missing')
  assert.deepEqual([missing.statusCode, missing.headers['content-length']], [404, '4'])
  assert.equal((await ask('/masthead.yaml')).statusCode, 404)
  await place.run('deploy --no-rules')
  assert.equal((await ask('/old')).statusCode, 404)
  assert.deepEqual(await pathsOf(place, 'told'), ['/index.html', '/lost.html'])
})

test('vercel.json answers as at Vercel, or says what is different', async () => {
  const redirects = [
    { source: '/a/:path*/edit', destination: '/b/:path*' },
    { source: '/m/:slug', destination: '/m2/:slug*' },
    { source: '/docs/(.*)', destination: '/d' },
    { source: '/campaign', has: [{ type: 'query', key: 'utm-source' }], destination: '/c' },
  ]
  await using place = await workplace({
    'moved/index.html': 'hi',
    'moved/guide/index.html': 'guide',
    'moved/docs/index.html': 'docs',
    'moved/vercel.json': JSON.stringify({ cleanUrls: false, redirects }),
  })
  const { exitCode, stdout, stderr } = await place.run('deploy moved')
  assert.equal(exitCode, 0, stderr)
  assert.match(stderr, /vercel\.json line 1: Here pages also lose their \.html/)
  assert.match(stderr, /redirects\[2\]: Here "\/docs" leads to "\/docs\/", where the rule applies/)
  const ask = asker(stdout)
  for (const [path, location] of [
    ['/guide', '/guide/'],
    ['/a/edit', '/b'],
    ['/a/x/y/edit', '/b/x/y'],
    ['/m/one', '/m2/one'],
    ['/campaign?utm-source=x', '/c'],
  ] as const) {
    assert.equal((await ask(path)).headers.location, location, path)
  }
  assert.equal((await ask('/campaign')).statusCode, 404)
})

test('redirects and headers of the folder work at once, and lines that cannot be used are named', async () => {
  await using place = await workplace({
    'ruled/index.html': 'hi',
    'ruled/_redirects':
      '/old /new 308\n/api/* https://api.example/:splat 200\n/#/about /about 301!\n/fn/* /.netlify/functions/:splat 200\n/wiki/Category:Dogs /dogs\n/wiki/Category:Cats /cats\n',
    'ruled/_headers': '/*\n  X-Frame-Options: DENY\n/closed/*\n  Basic-Auth: pa55word\n',
  })
  const { exitCode, stdout, stderr } = await place.run('deploy ruled')
  assert.equal(exitCode, 0, stderr)
  assert.match(stderr, /_redirects line 2: .*proxying.*not supported/)
  assert.match(stderr, /_redirects line 3: Browsers do not send what follows #/)
  assert.match(stderr, /_redirects line 4: Functions do not run here/)
  assert.match(stderr, /_redirects line 6: Line 5 already answers/)
  assert.match(stderr, /_headers line 4: Basic-Auth: A user has no password/)
  assert.match(stderr, /_headers line 3: There is no file "\/closed\/\*" to protect/)
  assert.doesNotMatch(stderr, /pa55word/)
  const ask = asker(stdout)
  const moved = await ask('/old?x=1')
  assert.deepEqual([moved.statusCode, moved.headers.location], [308, '/new?x=1'])
  const front = await ask('/')
  assert.deepEqual([front.statusCode, front.headers['x-frame-options']], [200, 'DENY'])
  assert.equal((await ask('/closed/')).statusCode, 401)
  assert.equal((await ask('/_headers')).statusCode, 404)
  const { diagnostics } = JSON.parse((await place.run('deploy ruled --json')).stdout)
  assert.deepEqual(
    diagnostics.map(({ file, line }: { file: string; line: number }) => [file, line]),
    [
      ['/_redirects', 2],
      ['/_redirects', 3],
      ['/_redirects', 4],
      ['/_redirects', 5],
      ['/_redirects', 6],
      ['/_redirects', 6],
      ['/_headers', 4],
      ['/_headers', 3],
    ],
  )
})
