import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { startApi } from '../api/api.test-kit.ts'
import { BlobsUnavailableError } from '../blobs/blob-store.ts'
import { onEachDatabase } from '../database/each-database.test-kit.ts'
import type { DeploymentContext } from '../deployments/deployment.ts'
import { readManifest } from '../deployments/manifest-document.ts'
import { findSite } from '../deployments/read.ts'
import { createBlobCommitter } from '../deployments/upload/commit-blobs.ts'
import { setUp } from '../people/sign-in/set-up.ts'
import { prepareFirstLink, publishFolder } from './first-start.ts'

const sample = join(import.meta.dirname, '..', '..', 'sample', 'hello')

function start(context: DeploymentContext) {
  const hold = createBlobCommitter(context)
  return prepareFirstLink(context, (accountId) =>
    publishFolder(context, hold, { folder: sample, slug: 'hello', name: 'Hello', accountId }),
  )
}

onEachDatabase('the first start', ({ open }) => {
  test('creates an account, publishes the sample in it and returns a link', async () => {
    await using database = await open()
    await using api = await startApi(database)
    const token = await start(api.context)
    assert.match(token ?? '', /^[\w-]{43}$/)
    const site = await findSite(api.context, { kind: 'project', slug: 'hello' })
    const deployment = site?.deploymentId
    assert.ok(deployment?.startsWith('dpl_'))
    const manifest = await readManifest(api.context.blobs, deployment as `dpl_${string}`)
    assert.ok(manifest?.has('/index.html'))
  })

  test('of several processes at once creates one account and one sample', async () => {
    await using database = await open()
    await using api = await startApi(database)
    await Promise.all([1, 2, 3].map(() => start(api.context)))
    for (const table of ['accounts', 'projects', 'deployments'] as const) {
      const rows = await database.read.selectFrom(table).select('id').execute()
      assert.equal(rows.length, 1, table)
    }
  })

  test('beside a store that does not respond is made up for by the next one', async () => {
    await using database = await open()
    await using api = await startApi(database)
    const { blobs } = api.context
    const stage = () => Promise.reject(new BlobsUnavailableError('S3 did not respond'))
    await assert.rejects(start({ ...api.context, blobs: { ...blobs, stage } }), BlobsUnavailableError)
    assert.notEqual(await start(api.context), null)
    const site = await findSite(api.context, { kind: 'project', slug: 'hello' })
    assert.ok(site?.deploymentId?.startsWith('dpl_'))
  })

  test('publishes no sample again that somebody has deleted', async () => {
    await using database = await open()
    await using api = await startApi(database)
    await start(api.context)
    const { id } = await database.read.selectFrom('accounts').select('id').executeTakeFirstOrThrow()
    const { caller } = await api.newKey(id, ['deploy', 'admin'])
    const answer = await api.send('DELETE /v1/projects/hello', caller)
    assert.equal(answer.status, 204)
    await start(api.context)
    assert.equal(await findSite(api.context, { kind: 'project', slug: 'hello' }), null)
  })

  test('whose link nobody used is followed by another link, until there is an operator', async () => {
    await using database = await open()
    await using api = await startApi(database)
    const prepare = () => prepareFirstLink(api.context, async () => {})
    const [first, second] = [await prepare(), await prepare()]
    assert.notEqual(first, second)
    const person = { name: 'Ada', email: 'ada@example.com', password: 'correct horse battery' }
    const client = { address: '127.0.0.1', browser: 'curl' }
    const device = { network: '127.0.0.1', deviceToken: undefined, client }
    const ada = { ...person, device, serverName: 'masthead.localhost' }
    const keepNothing = async () => {}
    await assert.rejects(setUp(api.context, { ...ada, token: first ?? '' }, keepNothing), {
      code: 'link_invalid',
    })
    await setUp(api.context, { ...ada, token: second ?? '' }, keepNothing)
    assert.equal(await prepare(), null)
  })

  test("leaves an existing project with the sample's slug alone", async () => {
    await using database = await open()
    await using api = await startApi(database)
    const { id: accountId } = await api.newAccount()
    const { caller } = await api.newKey(accountId, ['deploy'])
    await api.send('POST /v1/projects', caller, { json: { slug: 'hello' } })
    const hold = createBlobCommitter(api.context)
    await publishFolder(api.context, hold, { folder: sample, slug: 'hello', name: 'Hello', accountId })
    assert.equal((await findSite(api.context, { kind: 'project', slug: 'hello' }))?.deploymentId, null)
  })
})
