import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import type { AccountEvent } from '@masthead/contract/schemas/account.ts'
import type { CreatedDeployment, Deployment } from '@masthead/contract/schemas/deployment.ts'
import type { Page } from '@masthead/contract/schemas/fields.ts'
import type { Project } from '@masthead/contract/schemas/project.ts'
import type { SiteRule } from '@masthead/contract/schemas/site-rule.ts'
import type { Usage } from '@masthead/contract/schemas/usage.ts'
import { tar, tarGz } from '../../deployments/archive/tar.test-kit.ts'
import { type ApiUnderTest, onEachApi } from '../api.test-kit.ts'

async function newSite(api: ApiUnderTest) {
  const { id } = await api.newAccount()
  const { caller } = await api.newKey(id, ['read', 'deploy', 'admin'])
  await api.send('POST /v1/projects', caller, { json: { slug: 'site' } })
  return caller
}

const digest = (content: string) => createHash('sha256').update(content).digest('hex')
const bytes = { 'Content-Type': 'application/octet-stream' }

onEachApi('deployments', (test) => {
  test('are listed, uploaded where missing, and finalized, including an empty file', async (api) => {
    const caller = await newSite(api)
    const contents = ['<h1>hello</h1>', '']
    const files = Object.fromEntries(
      contents.map((content, n) => [`/${n}.html`, { sha256: digest(content), size: content.length }]),
    )
    const created = await api.send<CreatedDeployment>('POST /v1/projects/site/deployments', caller, {
      json: { files },
    })
    assert.equal(created.status, 201)
    assert.deepEqual(created.body.missing.sort(), contents.map(digest).sort())
    const route = `/v1/projects/site/deployments/${created.body.id}`
    const early = await api.send(`POST ${route}/finalize`, caller)
    assert.equal(early.body.code, 'files_missing')
    for (const content of contents) {
      const put = await api.send(`PUT ${route}/files/${digest(content)}`, caller, {
        headers: bytes,
        body: content,
      })
      assert.equal(put.status, 204, put.text)
    }
    const ready = await api.send<Deployment>(`POST ${route}/finalize`, caller)
    assert.equal(ready.status, 200)
    assert.equal(ready.body.active, true)
    const project = await api.send<Project>('GET /v1/projects/site', caller)
    assert.deepEqual(project.body.activeDeployment, ready.body)
    const again = await api.send<CreatedDeployment>('POST /v1/projects/site/deployments', caller, {
      json: { files },
    })
    assert.deepEqual(again.body.missing, [])
  })

  test('listed with a size that the content does not have do not go live', async (api) => {
    const caller = await newSite(api)
    const deployments = '/v1/projects/site/deployments'
    for (const size of [1_000, 3]) {
      const json = { files: { '/index.html': { sha256: digest('hello'), size } } }
      const { body } = await api.send<CreatedDeployment>(`POST ${deployments}`, caller, { json })
      const route = `${deployments}/${body.id}`
      const sent = { headers: bytes, body: 'hello' }
      const put = await api.send(`PUT ${route}/files/${digest('hello')}`, caller, sent)
      assert.deepEqual([put.status, put.body.code], [422, 'digest_mismatch'])
      assert.equal((await api.send(`POST ${route}/finalize`, caller)).body.code, 'files_missing')
    }
  })

  test('can be an archive in one request, and do not go live if asked not to', async (api) => {
    const caller = await newSite(api)
    const headers = { 'Content-Type': 'application/gzip' }
    const body = new Uint8Array(tarGz({ name: 'index.html', content: 'hello' }))
    const route = 'POST /v1/projects/site/deployments'
    const waiting = await api.send<Deployment>(`${route}?activate=false`, caller, { headers, body })
    assert.equal(waiting.status, 201)
    assert.equal(waiting.body.state, 'ready')
    assert.equal(waiting.body.active, false)
    const live = await api.send<Deployment>(route, caller, { headers, body })
    assert.equal(live.body.active, true)
    const back = await api.send<Deployment>(
      `POST /v1/projects/site/deployments/${waiting.body.id}/activate`,
      caller,
    )
    assert.equal(back.body.active, true)
    const list = await api.send<Page<Deployment>>('GET /v1/projects/site/deployments', caller)
    assert.deepEqual(
      list.body.items.map(({ id, active }) => [id, active]),
      [
        [live.body.id, false],
        [waiting.body.id, true],
      ],
    )
  })

  test('that are refused midway keep the connection open and leave nothing behind', async (api) => {
    const caller = await newSite(api)
    const headers = { 'Content-Type': 'application/gzip' }
    const whole = tarGz({ name: 'index.html', content: 'hello '.repeat(10_000) })
    const body = new Uint8Array(whole.subarray(0, whole.length - 20))
    const refused = await api.send('POST /v1/projects/site/deployments', caller, { headers, body })
    assert.equal(refused.status, 422, refused.text)
    const list = await api.send<Page<Deployment>>('GET /v1/projects/site/deployments', caller)
    assert.deepEqual(list.body.items, [])
  })

  test('that are cancelled are gone immediately, accept no more files, and affect no others', async (api) => {
    const caller = await newSite(api)
    const route = '/v1/projects/site/deployments'
    const files = { '/index.html': { sha256: digest('hello'), size: 5 } }
    const { body: cancelled } = await api.send<CreatedDeployment>(`POST ${route}`, caller, {
      json: { files },
    })
    const other = await api.send<CreatedDeployment>(`POST ${route}`, caller, { json: { files } })
    assert.equal((await api.send(`DELETE ${route}/${cancelled.id}`, caller)).status, 204)
    const list = await api.send<Page<Deployment>>(`GET ${route}`, caller)
    assert.deepEqual(
      list.body.items.map(({ id }) => id),
      [other.body.id],
    )
    const late = { headers: bytes, body: 'hello' }
    for (const step of [
      `PUT ${route}/${cancelled.id}/files/${digest('hello')}`,
      `POST ${route}/${cancelled.id}/finalize`,
      `DELETE ${route}/${cancelled.id}`,
    ]) {
      const refused = await api.send(step, caller, step.startsWith('PUT') ? late : {})
      assert.equal(refused.status, 404, step)
    }
    const put = await api.send(`PUT ${route}/${other.body.id}/files/${digest('hello')}`, caller, late)
    assert.equal(put.status, 204)
    assert.equal((await api.send(`POST ${route}/${other.body.id}/finalize`, caller)).status, 200)
  })

  test('that are ready can be deleted unless they are live, and the activity shows it', async (api) => {
    const caller = await newSite(api)
    const route = '/v1/projects/site/deployments'
    const archive = (content: string) => ({
      headers: { 'Content-Type': 'application/gzip' },
      body: new Uint8Array(tarGz({ name: 'index.html', content })),
    })
    const first = await api.send<Deployment>(`POST ${route}`, caller, archive('1'))
    const refused = await api.send(`DELETE ${route}/${first.body.id}`, caller)
    assert.deepEqual([refused.status, refused.body.code], [409, 'deployment_active'])
    await api.send<Deployment>(`POST ${route}`, caller, archive('2'))
    assert.equal((await api.send(`DELETE ${route}/${first.body.id}`, caller)).status, 204)
    assert.equal((await api.send(`GET ${route}/${first.body.id}`, caller)).status, 404)
    const { items } = (await api.send<Page<AccountEvent>>('GET /v1/events', caller)).body
    assert.deepEqual(
      [items[0]?.type, items[0]?.data],
      ['deployment.deleted', { deploymentId: first.body.id }],
    )
  })

  test('of another account or project cannot be cancelled', async (api) => {
    const caller = await newSite(api)
    const files = { '/index.html': { sha256: digest('hello'), size: 5 } }
    const route = '/v1/projects/site/deployments'
    const { body } = await api.send<CreatedDeployment>(`POST ${route}`, caller, { json: { files } })
    await api.send('POST /v1/projects', caller, { json: { slug: 'beside' } })
    const stranger = await api.newKey((await api.newAccount()).id, ['read', 'deploy', 'admin'])
    await api.send('POST /v1/projects', stranger.caller, { json: { slug: 'theirs' } })
    assert.equal((await api.send(`DELETE /v1/projects/beside/deployments/${body.id}`, caller)).status, 404)
    assert.equal((await api.send(`DELETE ${route}/${body.id}`, stranger.caller)).status, 404)
    assert.equal(
      (await api.send(`DELETE /v1/projects/theirs/deployments/${body.id}`, stranger.caller)).status,
      404,
    )
    assert.equal((await api.send(`GET ${route}/${body.id}`, caller)).status, 200)
  })

  test('show their rules in pages, filtered, as they were read', async (api) => {
    const caller = await newSite(api)
    const rules = Array.from({ length: 120 }, (_, at) => `/old/${at} /new/${at}`).join('\n')
    const headers = '/*\n  Cache-Control: no-store\n  ! X-A\n'
    const body = new Uint8Array(
      tarGz(
        { name: 'index.html', content: 'hi' },
        { name: '_redirects', content: `/s id=:id /p/:id 302! Language=de\n${rules}` },
        { name: '_headers', content: headers },
        { name: 'masthead.json', content: '{"spa": true}' },
      ),
    )
    const sent = await api.send<Deployment>('POST /v1/projects/site/deployments', caller, {
      headers: { 'Content-Type': 'application/gzip' },
      body,
    })
    const route = `GET /v1/projects/site/deployments/${sent.body.id}/rules`
    const list = async (query: string) => (await api.send<Page<SiteRule>>(`${route}?${query}`, caller)).body
    const first = await list('limit=100')
    const second = await list(`limit=100&cursor=${first.next}`)
    assert.deepEqual([first.items.length, second.items.length, second.next], [100, 23, null])
    const none = { from: null, to: null, name: null, status: null, force: false }
    const lists = { query: [], languages: [], countries: [], users: [], set: [], unset: [] }
    assert.deepEqual(first.items.slice(0, 2), [
      { kind: 'setting', file: '/masthead.json', line: 1, ...none, name: 'singlePage', to: 'true', ...lists },
      {
        ...{ kind: 'redirect', file: '/_redirects', line: 1, name: null, from: '/s', to: '/p/:id' },
        ...{ status: 302, force: true, ...lists },
        ...{ query: [{ name: 'id', value: ':id' }], languages: ['de'] },
      },
    ])
    const found = await list('contains=CACHE-control')
    assert.deepEqual(
      found.items.map(({ kind, set, unset }) => [kind, set, unset]),
      [['headers', [{ name: 'Cache-Control', value: 'no-store' }], ['X-A']]],
    )
    assert.equal((await list('contains=/old/11')).items.length, 11)
    assert.deepEqual(await list('contains=nowhere'), { items: [], next: null })
    const wrong = Buffer.from('after:x').toString('base64url')
    assert.equal((await api.send(`${route}?cursor=${wrong}`, caller)).status, 422)
    const stranger = await newSite(api)
    assert.equal((await api.send(route, stranger)).status, 404)
  })

  test('leave out the same files as the command line, report them, and do not request them', async (api) => {
    const caller = await newSite(api)
    const route = '/v1/projects/site/deployments'
    const secrets = ['/.env', '.htpasswd', '/.git/HEAD', './docs/.git/config', '/node_modules/a.js']
    const paths = ['/index.html', '/docs/masthead.json', '/.well-known/security.txt', ...secrets]
    const files = Object.fromEntries(paths.map((path) => [path, { sha256: digest(path), size: path.length }]))
    const created = await api.send<CreatedDeployment>(`POST ${route}`, caller, { json: { files } })
    assert.equal(created.status, 201, created.text)
    assert.deepEqual(created.body.missing.sort(), paths.slice(0, 3).map(digest).sort())
    assert.equal(created.body.files, 3)
    assert.deepEqual(created.body.leftOut, {
      files: 5,
      paths: ['/.env', '/.git/', '/.htpasswd', '/docs/.git/', '/node_modules/'],
    })
    const refused = await api.send(`PUT ${route}/${created.body.id}/files/${digest('/.env')}`, caller, {
      headers: bytes,
      body: '/.env',
    })
    assert.equal(refused.body.code, 'file_not_declared')
    const read = await api.send<Deployment>(`GET ${route}/${created.body.id}`, caller)
    assert.deepEqual(read.body.leftOut, created.body.leftOut)
    const nothing = { files: { '/.env': { sha256: digest('x'), size: 1 } } }
    const empty = await api.send(`POST ${route}`, caller, { json: nothing })
    assert.deepEqual([empty.status, empty.body.code], [422, 'deployment_empty'])
    assert.match(String(empty.body.detail), /\.env/)
    const escaping = { files: { '/.git/../../etc/passwd': { sha256: digest('x'), size: 1 } } }
    assert.equal((await api.send(`POST ${route}`, caller, { json: escaping })).body.code, 'path_invalid')
  })

  test('without a front page warn before they are finalized, and suggest one', async (api) => {
    const caller = await newSite(api)
    const file = { sha256: digest('hello'), size: 5 }
    for (const [path, said] of [
      ['/about.html', /404.* Add an index\.html/],
      ['/dist/site/index.html', /There is an index\.html in "\/dist\/site"/],
      ['/Index.HTML', /Rename Index\.HTML/],
    ] as const) {
      const json = { files: { [path]: file, '/style.css': file } }
      const { body } = await api.send<CreatedDeployment>('POST /v1/projects/site/deployments', caller, {
        json,
      })
      const [{ message, ...rest } = { message: '' }, ...others] = body.diagnostics
      assert.deepEqual([rest, others], [{ file: '/index.html', line: null, level: 'warning' }, []])
      assert.match(message, said)
    }
  })

  test('beyond the storage of the plan are refused, listed or archived, and usage shows the numbers', async (api) => {
    const { id } = await api.newAccount('Acme', 'enterprise')
    const { caller } = await api.newKey(id, ['read', 'deploy', 'admin'])
    await api.send('POST /v1/projects', caller, { json: { slug: 'site' } })
    const { database } = api.context
    await database.write((tx) =>
      tx.updateTable('accounts').set({ limit_storage: 50_000 }).where('id', '=', id).execute(),
    )
    const route = 'POST /v1/projects/site/deployments'
    const files = { '/index.html': { sha256: digest('x'), size: 50_001 } }
    const announced = await api.send(route, caller, { json: { files } })
    assert.deepEqual([announced.status, announced.body.code], [403, 'storage_full'])
    assert.match(
      String(announced.body.detail),
      /stores 0 B of 50\.0 kB \(Enterprise\), and this upload needs 50\.2 kB more/,
    )
    const archive = (size: number) => ({
      headers: { 'Content-Type': 'application/gzip' },
      body: new Uint8Array(tarGz({ name: 'index.html', content: randomBytes(size) })),
    })
    const packed = await api.send(route, caller, archive(50_001))
    assert.deepEqual([packed.status, packed.body.code], [403, 'storage_full'])
    assert.equal((await api.send(route, caller, archive(30_000))).status, 201)
    assert.equal((await api.send(route, caller, archive(30_000))).status, 403)
    const { storage } = (await api.send<Usage>('GET /v1/account/usage', caller)).body
    assert.equal(storage.limit, 50_000)
    assert.ok(storage.used > 30_000 && storage.used < 31_000, `${storage.used}`)
    assert.equal(storage.remaining, storage.limit - storage.used)
    const list = await api.send<Page<Deployment>>('GET /v1/projects/site/deployments', caller)
    assert.equal(list.body.items.length, 1)
  })

  test('of many files at once may be compressed or not, however the type is written', async (api) => {
    const caller = await newSite(api)
    const route = 'POST /v1/projects/site/deployments'
    const files = { '/index.html': { sha256: digest('hello'), size: 5 } }
    const { body: deployment } = await api.send<CreatedDeployment>(route, caller, { json: { files } })
    const put = (type: string, body: Buffer) =>
      api.send(`${route}/${deployment.id}/files`, caller, {
        headers: { 'Content-Type': type },
        body: new Uint8Array(body),
      })
    const part = { name: digest('hello'), content: 'hello' }
    for (const type of ['application/x-tar', 'Application/X-TAR', 'application/x-tar; charset=binary']) {
      assert.deepEqual((await put(type, tar(part))).body, { received: 1 }, type)
    }
    assert.deepEqual((await put('application/gzip', tarGz(part))).body, { received: 1 })
    assert.equal((await put('application/x-tar', tarGz(part))).body.code, 'archive_invalid')
    assert.equal((await put('application/zip', tar(part))).status, 415)
    assert.equal((await api.send(`${route}/${deployment.id}/finalize`, caller)).status, 200)
    const whole = { headers: { 'Content-Type': 'application/x-tar' }, body: new Uint8Array(tar(part)) }
    assert.equal((await api.send(route, caller, whole)).status, 201)
  })

  test('list up to 1,000 files in a page', async (api) => {
    const caller = await newSite(api)
    const names = Array.from({ length: 150 }, (_, n) => `/${1_000 + n}.html`)
    const files = Object.fromEntries(names.map((name) => [name, { sha256: digest('hello'), size: 5 }]))
    const route = '/v1/projects/site/deployments'
    const { body } = await api.send<CreatedDeployment>(`POST ${route}`, caller, { json: { files } })
    const list = (limit: number) =>
      api.send<Page<{ path: string }>>(`GET ${route}/${body.id}/files?limit=${limit}`, caller)
    const page = await list(1_000)
    assert.deepEqual([page.body.items.map(({ path }) => path), page.body.next], [names, null])
    assert.equal((await list(1_001)).status, 422)
  })

  test('of an unsupported type are refused with the supported ones', async (api) => {
    const caller = await newSite(api)
    for (const type of ['application/octet-stream', 'text/html', 'application/x-7z-compressed']) {
      const input = { headers: { 'Content-Type': type }, body: 'x' }
      const refused = await api.send('POST /v1/projects/site/deployments', caller, input)
      assert.equal(refused.status, 415, type)
      assert.equal(refused.body.code, 'unsupported_media_type')
    }
  })
})
