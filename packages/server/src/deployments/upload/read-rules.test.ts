import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Diagnostic } from '@masthead/contract/schemas/deployment.ts'
import { onEachDatabase } from '../../database/each-database.test-kit.ts'
import type { ProjectRow } from '../../projects/project.ts'
import { by, digestOf, startPublishing } from '../deployments.test-kit.ts'
import { encodeNextDeployment } from '../encode/encode-deployment.ts'
import { readRules } from '../manifest-document.ts'
import { deleteDeployment } from '../remove-deployments.ts'
import type { DeploymentRow } from '../store.ts'
import { sweep } from '../sweep/sweep.ts'
import { readRulesOf } from './read-rules.ts'

const site = {
  '/index.html': '<h1>front</h1>'.repeat(50),
  '/about.html': 'about',
  '/_redirects': '/old /new\nnonsense\n/about /elsewhere\n/x /none.html 200\n',
  '/_headers': '/*\n  X-Frame-Options: DENY\n  Content-Length: 5\n',
}

const rules = {
  redirects: [
    { line: 1, from: '/old', to: '/new', status: 301 },
    { line: 3, from: '/about', to: '/elsewhere', status: 301 },
    { line: 4, from: '/x', to: '/none.html', status: 200 },
  ],
  headers: [{ line: 1, from: '/*', unset: [], set: [['X-Frame-Options', 'DENY']] }],
}

const diagnosticsOf = ({ diagnostics }: DeploymentRow): Diagnostic[] => JSON.parse(diagnostics ?? '[]')

onEachDatabase('the rules of a site', ({ open }) => {
  test('are read when it is published, however its files arrived', async () => {
    await using database = await open()
    await using publishing = await startPublishing(database)
    const listed = await publishing.publish(site)
    const archived = await publishing.sendArchive(site)
    for (const deployment of [listed, archived]) {
      assert.deepEqual(await readRules(publishing.context.blobs, deployment.id), rules)
      assert.deepEqual(
        diagnosticsOf(deployment).map(({ file, line, level }) => [file, line, level]),
        [
          ['/_redirects', 2, 'error'],
          ['/_headers', 3, 'error'],
          ['/_redirects', 3, 'warning'],
          ['/_redirects', 4, 'warning'],
        ],
      )
    }
    const plain = await publishing.publish({ '/index.html': 'plain' })
    assert.equal(await readRules(publishing.context.blobs, plain.id), null)
    assert.equal(plain.diagnostics, null)
  })

  test('a password for a path that does not exist is reported', async () => {
    await using database = await open()
    await using publishing = await startPublishing(database)
    const password = '  Basic-Auth: mia:correct-horse\n'
    const deployment = await publishing.publish({
      '/index.html': 'front',
      '/members/list.html': 'list',
      '/_headers': `/members/*\n${password}/membres/*\n${password}`,
    })
    assert.deepEqual(
      diagnosticsOf(deployment).map(({ file, line, level, message }) => [file, line, level, message]),
      [['/_headers', 3, 'warning', 'There is no file "/membres/*" to protect. Check its name.']],
    )
  })

  test('in masthead.json are read like the others, and a clash with the project is reported', async () => {
    await using database = await open()
    await using publishing = await startPublishing(database)
    const of = { ...publishing.project, html_handling: 'none' as const, single_page: 1 as const }
    const members = {
      project: 'site',
      redirects: [{ from: '/old', to: '/new', force: true }],
      htmlHandling: 'force-trailing-slash',
      spa: true,
    }
    const files = { '/index.html': 'hi', '/masthead.json': JSON.stringify(members) }
    const listed = await publishing.publish(files, { of })
    const archived = await publishing.sendArchive(files, { of })
    const place = { file: '/masthead.json', line: 1 }
    for (const deployment of [listed, archived]) {
      assert.deepEqual(await readRules(publishing.context.blobs, deployment.id), {
        redirects: [{ ...place, from: '/old', to: '/new', status: 301, force: true }],
        headers: [],
        settings: [
          { ...place, name: 'htmlHandling', value: 'force-trailing-slash' },
          { ...place, name: 'singlePage', value: true },
        ],
      })
      const [clash, ...others] = diagnosticsOf(deployment)
      assert.match(clash?.message ?? '', /project's settings have htmlHandling none/)
      assert.deepEqual(others, [])
    }
  })

  test('that lead in circles are reported, by the way in which the deployment is served', async () => {
    await using database = await open()
    await using publishing = await startPublishing(database)
    const files = {
      '/index.html': 'front',
      '/about.html': 'about',
      '/_redirects': '/about /about.html 301!\n/loop1 /loop2\n/loop2 /loop1\n',
      '/vercel.json': '{"redirects":[{"source":"/","destination":"/index.html"}]}',
    }
    const lines = (row: DeploymentRow) =>
      diagnosticsOf(row).map(({ file, line, level }) => [file, line, level])
    const loop = ['/_redirects', 2, 'warning']
    const served = [['/_redirects', 1, 'warning'], loop, ['/vercel.json', 1, 'warning']]
    assert.deepEqual(lines(await publishing.publish(files)), served)
    assert.deepEqual(lines(await publishing.sendArchive(files)), served)
    const of = { ...publishing.project, html_handling: 'none' as const }
    assert.deepEqual(lines(await publishing.publish(files, { of })), [loop])
    const members = JSON.stringify({ htmlHandling: 'auto' })
    const own = await publishing.publish({ ...files, '/masthead.json': members }, { of })
    assert.deepEqual(lines(own).slice(1), served)
  })

  test('that cannot be used are no reason not to publish', async () => {
    await using database = await open()
    await using publishing = await startPublishing(database)
    const row = await publishing.publish({
      '/about.html': 'a',
      '/_redirects': 'nonsense',
      '/_headers': '\xff',
    })
    assert.equal(row.state, 'ready')
    assert.deepEqual(
      diagnosticsOf(row).map(({ file }) => file),
      ['/index.html', '/_redirects', '/_headers'],
    )
  })

  test('that reach for the cookies of other sites are reported', async () => {
    await using database = await open()
    await using publishing = await startPublishing(database)
    publishing.context.platformDomain = 'masthead.example.com'
    const headers = [
      '/a\n  Set-Cookie: a=1; Domain=.masthead.example.com',
      '/b\n  Set-Cookie: a=1; Domain=example.com',
      '/c\n  Clear-Site-Data: "cache", "cookies"',
      '/d\n  Clear-Site-Data: "*"',
      '/e\n  Set-Cookie: a=1; Domain=acme.com\n  Clear-Site-Data: "cache"',
    ]
    const row = await publishing.publish({ '/index.html': 'a', '/_headers': headers.join('\n') })
    assert.deepEqual(
      diagnosticsOf(row).map(({ line, level, message }) => [line, level, message.split(' ')[0]]),
      [
        [1, 'warning', 'Domain'],
        [3, 'warning', 'Domain'],
        [5, 'warning', 'Clear-Site-Data:'],
        [7, 'warning', 'Clear-Site-Data:'],
      ],
    )
  })

  test('of other platforms are read, and what they cannot do here is named', async () => {
    await using database = await open()
    await using publishing = await startPublishing(database)
    const row = await publishing.publish({
      '/index.html': 'a',
      '/netlify.toml': '[functions]\n[[redirects]]\nfrom = "/a"\nto = "/b"\n',
      '/vercel.json': '{"headers": [{"source": "/(.*)", "headers": [{"key": "X-A", "value": "1"}]}]}',
      '/CNAME': 'a.example',
    })
    assert.deepEqual(
      diagnosticsOf(row).map(({ file, line, level }) => [file, line, level]),
      [
        ['/netlify.toml', 1, 'warning'],
        ['/CNAME', null, 'warning'],
      ],
    )
    const read = await readRules(publishing.context.blobs, row.id)
    assert.deepEqual(read, {
      redirects: [{ file: '/netlify.toml', line: 2, from: '/a', to: '/b', status: 301 }],
      headers: [{ file: '/vercel.json', line: 1, from: '/*', unset: [], set: [['X-A', '1']] }],
    })
  })

  test('are reported for server code of Cloudflare Pages, in a site without any rules', async () => {
    await using database = await open()
    await using publishing = await startPublishing(database)
    for (const [path, message] of [
      ['/_worker.js', /Workers do not run here.*never this one/],
      ['/_worker.js/index.js', /Workers do not run here/],
      ['/_routes.json', /_routes\.json has no effect/],
      ['/functions/_middleware.ts', /visitors can read this file/],
      ['/functions/[[path]].js', /visitors can read this file/],
    ] as const) {
      const row = await publishing.publish({ '/index.html': 'a', [path]: 'export default {}' })
      const [diagnostic, ...more] = diagnosticsOf(row)
      assert.deepEqual([diagnostic?.file, diagnostic?.level, more], [path, 'warning', []])
      assert.match(diagnostic?.message ?? '', message)
    }
    const plain = await publishing.publish({ '/index.html': 'a', '/functions/index.html': 'a guide' })
    assert.equal(plain.diagnostics, null)
  })

  test('beyond the limits are refused, and nothing is published', async () => {
    await using database = await open()
    await using publishing = await startPublishing(database)
    const limits = { ...publishing.context.limits, bytesPerFile: 1_000_000, bytesPerDeployment: 2_000_000 }
    const using = { ...publishing.context, limits }
    const many = Array.from({ length: 1_001 }, (_, at) => `/${at}/* /`).join('\n')
    const manyHeaders = `/*\n${Array.from({ length: 81 }, (_, at) => ` A${at}: b`).join('\n')}`
    for (const files of [
      { '/_headers': 'x'.repeat(65_537) },
      { '/_headers': manyHeaders },
      { '/_redirects': many },
    ]) {
      const whole = { '/index.html': 'front', ...files }
      await assert.rejects(publishing.publish(whole, { using }), { code: 'site_rules_too_large' })
      await assert.rejects(publishing.sendArchive(whole, { using }), { code: 'site_rules_too_large' })
    }
    assert.equal(await publishing.active(), null)
  })

  test('that are not uploaded yet are asked for', async () => {
    await using database = await open()
    await using publishing = await startPublishing(database)
    const { deployment } = await publishing.announce({ '/index.html': 'front', '/_redirects': '/a /b' })
    await publishing.put(deployment, 'front')
    await assert.rejects(publishing.finalize(deployment), {
      code: 'files_missing',
      extra: { missing: [digestOf('/a /b')] },
    })
    await publishing.put(deployment, '/a /b')
    await publishing.finalize(deployment)
    assert.equal((await readRules(publishing.context.blobs, deployment.id))?.redirects.length, 1)
  })

  test('survive a failure at any write, and finalizing again', async () => {
    await using database = await open()
    await using publishing = await startPublishing(database)
    const { context } = publishing
    const { deployment } = await publishing.announce(site)
    for (const content of Object.values(site)) await publishing.put(deployment, content)
    for (const written of [0, 1]) {
      let writes = 0
      const writeDocument: typeof context.blobs.writeDocument = async (name, content) => {
        if (writes++ === written) throw new Error('the disk is full')
        await context.blobs.writeDocument(name, content)
      }
      const blobs = new Proxy(context.blobs, {
        get: (store, name) => {
          const member = name === 'writeDocument' ? writeDocument : Reflect.get(store, name)
          return typeof member === 'function' ? member.bind(store) : member
        },
      })
      await assert.rejects(publishing.finalize(deployment, { using: { ...context, blobs } }), /disk is full/)
      assert.equal((await publishing.find(deployment.id))?.state, 'uploading')
    }
    const ready = await publishing.finalize(deployment)
    const again = await publishing.finalize(deployment)
    assert.equal(again.diagnostics, ready.diagnostics)
    assert.equal(diagnosticsOf(ready).length, 4)
    assert.deepEqual(await readRules(context.blobs, deployment.id), rules)
  })

  test('stay when files are compressed, and go with the deployment', async () => {
    await using database = await open()
    await using publishing = await startPublishing(database)
    const { context, project } = publishing
    const { id } = await publishing.publish(site)
    while (await encodeNextDeployment(context)) publishing.clock.at++
    assert.deepEqual(await readRules(context.blobs, id), rules)
    await publishing.publish({ '/index.html': 'next' })
    await deleteDeployment(context, { project, deploymentId: id, by })
    await sweep(context)
    assert.equal(await readRules(context.blobs, id), null)
    assert.deepEqual(
      (await publishing.onDisk()).filter((path) => path.includes(id)),
      [],
    )
  })
})

test('reading thousands of rules lets others go first', async () => {
  const files = {
    '/_redirects': Array.from({ length: 10_000 }, (_, at) => `/old/${at} /new/${at}`).join('\n'),
    '/_headers': Array.from({ length: 3_000 }, (_, at) => `/${at}\n A: b`).join('\n'),
  }
  const contents = new Map(Object.values(files).map((text) => [digestOf(text), Buffer.from(text)]))
  const manifest = new Map(
    Object.entries(files).map(([path, text]) => [path, { sha256: digestOf(text), size: text.length }]),
  )
  const blobs = { read: async ({ sha256 }: { sha256: string }) => contents.get(sha256) ?? Buffer.alloc(0) }
  let turns = 0
  let isOver = false
  const count = () => {
    turns++
    if (!isOver) setImmediate(count)
  }
  setImmediate(count)
  const project = { account_id: 'acc_1', html_handling: 'auto', single_page: 0 } as unknown as ProjectRow
  const read = await readRulesOf({ blobs, platformDomain: 'masthead.localhost' }, project, manifest)
  const turnsMeanwhile = turns
  isOver = true
  assert.deepEqual([read?.rules.redirects.length, read?.rules.headers.length], [10_000, 3_000])
  assert.ok(turnsMeanwhile > 1, `${turnsMeanwhile} turns`)
})
