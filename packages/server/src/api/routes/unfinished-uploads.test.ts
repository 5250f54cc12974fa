import assert from 'node:assert/strict'
import { retainedDeployments } from '@masthead/contract/deployments.ts'
import type { CreatedDeployment, Deployment } from '@masthead/contract/schemas/deployment.ts'
import type { Page } from '@masthead/contract/schemas/fields.ts'
import type { ProblemDocument } from '@masthead/contract/schemas/problem-document.ts'
import { sql } from 'kysely'
import { tarGz } from '../../deployments/archive/tar.test-kit.ts'
import { digestOf } from '../../deployments/deployments.test-kit.ts'
import { isWithheld } from '../../deployments/manifest.ts'
import { readManifest } from '../../deployments/manifest-document.ts'
import { sweep } from '../../deployments/sweep/sweep.ts'
import { day } from '../../kernel/clock.ts'
import { type ApiUnderTest, type Caller, onEachApi } from '../api.test-kit.ts'

const deployments = '/v1/projects/site/deployments'
const files = { '/index.html': { sha256: 'a'.repeat(64), size: 5 } }
async function newSite(api: ApiUnderTest): Promise<Caller> {
  const { id } = await api.newAccount('Acme', 'business')
  const { caller } = await api.newKey(id, ['read', 'deploy', 'admin'])
  await api.send('POST /v1/projects', caller, { json: { slug: 'site' } })
  return caller
}

const announce = (api: ApiUnderTest, caller: Caller) =>
  api.send<CreatedDeployment & ProblemDocument>(`POST ${deployments}`, caller, { json: { files } })

/** As an earlier version allowed: with three values each, more than a statement can have. */
async function leaveMany(api: ApiUnderTest, caller: Caller): Promise<number> {
  await announce(api, caller)
  const { database } = api.context
  const row = await database.read.selectFrom('deployments').selectAll().executeTakeFirstOrThrow()
  const others = sql.raw(
    Object.keys(row)
      .filter((column) => column !== 'id')
      .join(),
  )
  const doublings = database.dialect === 'postgres' ? 15 : 14
  await database.write(async (tx) => {
    for (let n = 0; n < doublings; n++) {
      await sql`insert into deployments (id, ${others})
        select id || ${sql.lit(n.toString(32))}, ${others} from deployments`.execute(tx)
    }
  })
  return 2 ** doublings
}

onEachApi('unfinished uploads', (test) => {
  test('do not keep a project from being deleted, however many there are', async (api) => {
    const caller = await newSite(api)
    const many = await leaveMany(api, caller)
    assert.equal((await api.send('DELETE /v1/projects/site', caller)).status, 204)
    const { read } = api.context.database
    assert.deepEqual(await read.selectFrom('deployments').select('id').execute(), [])
    const discarded = await read.selectFrom('discarded_manifests').select('deployment_id').execute()
    assert.equal(discarded.length, many)
  })

  test('are cancelled after a day, however many there are', async (api) => {
    const caller = await newSite(api)
    await leaveMany(api, caller)
    api.clock.at += day + 1
    const blobs = { ...api.context.blobs, readDocument: async () => null, removeDocument: async () => {} }
    await sweep({ ...api.context, blobs })
    const { read } = api.context.database
    assert.deepEqual(await read.selectFrom('deployments').select('id').execute(), [])
    assert.deepEqual(await read.selectFrom('discarded_manifests').select('deployment_id').execute(), [])
  })

  test('are refused beyond 100 of a project, until one is deleted', async (api) => {
    const caller = await newSite(api)
    for (let n = 0; n < 100; n++) assert.equal((await announce(api, caller)).status, 201)
    const refused = await announce(api, caller)
    assert.deepEqual([refused.status, refused.body.code], [429, 'too_many_uploads'])
    assert.match(refused.body.detail, /Finalize or delete some of them/)
    const { body } = await api.send<Page<Deployment>>(`GET ${deployments}?limit=1`, caller)
    assert.equal((await api.send(`DELETE ${deployments}/${body.items[0]?.id}`, caller)).status, 204)
    assert.equal((await announce(api, caller)).status, 201)
  })

  test('become a preview that is there, although ten others were published meanwhile', async (api) => {
    const caller = await newSite(api)
    const headers = { 'Content-Type': 'application/gzip' }
    const body = new Uint8Array(tarGz({ name: 'index.html', content: 'hello' }))
    const publish = () => api.send<Deployment>(`POST ${deployments}`, caller, { headers, body })
    await publish()
    const json = { files: { '/index.html': { sha256: digestOf('hello'), size: 5 } } }
    const early = await api.send<CreatedDeployment>(`POST ${deployments}`, caller, { json })
    for (let n = 0; n < retainedDeployments; n++) assert.equal((await publish()).status, 201)
    const route = `${deployments}/${early.body.id}`
    const ready = await api.send<Deployment>(`POST ${route}/finalize?activate=false`, caller)
    assert.deepEqual([ready.status, ready.body.state], [200, 'ready'], ready.text)
    assert.equal((await api.send(`POST ${route}/activate`, caller)).status, 200)
  })

  test('with passwords can be finalized again after a failure, although their file is swept', async (api) => {
    const caller = await newSite(api)
    const { context } = api
    const site = {
      '/index.html': 'front',
      '/_headers': '/*\n  Basic-Auth: mia:correct-horse-staple\n',
    }
    const parts = Object.entries(site).map(([path, content]) => ({ name: path.slice(1), content }))
    const headers = { 'Content-Type': 'application/gzip' }
    const body = new Uint8Array(tarGz(...parts))
    await api.send(`POST ${deployments}`, caller, { headers, body })
    const files = Object.fromEntries(
      Object.entries(site).map(([path, content]) => [
        path,
        { sha256: digestOf(content), size: content.length },
      ]),
    )
    const again = await api.send<CreatedDeployment>(`POST ${deployments}`, caller, {
      json: { files },
    })
    assert.deepEqual(again.body.missing, [])
    const { id } = again.body
    const { write } = context.database
    context.database.write = async (change) => {
      if (!isWithheld((await readManifest(context.blobs, id)) ?? new Map())) return write(change)
      context.database.write = write
      throw new Error('the connection to the database was lost')
    }
    const finalize = () => api.send(`POST ${deployments}/${id}/finalize`, caller)
    assert.equal((await finalize()).status, 500)
    assert.equal(context.database.write, write)
    await sweep(context)
    const ready = await finalize()
    assert.equal(ready.status, 200, ready.text)
  })
})
