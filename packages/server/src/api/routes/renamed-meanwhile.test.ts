import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import type { CreatedDeployment, Deployment } from '@masthead/contract/schemas/deployment.ts'
import type { Page } from '@masthead/contract/schemas/fields.ts'
import { until } from '@masthead/testing/until.ts'
import { afterNextWrite } from '../../database/interleave.test-kit.ts'
import { tarGz } from '../../deployments/archive/tar.test-kit.ts'
import { type ApiUnderTest, onEachApi } from '../api.test-kit.ts'

async function newSite(api: ApiUnderTest) {
  const { id } = await api.newAccount()
  const { caller } = await api.newKey(id, ['read', 'deploy', 'admin'])
  await api.send('POST /v1/projects', caller, { json: { slug: 'before' } })
  const rename = async (from: string, to: string) => {
    const renamed = await api.send(`PATCH /v1/projects/${from}`, caller, { json: { slug: to } })
    assert.equal(renamed.status, 200, renamed.text)
  }
  return { caller, rename }
}

onEachApi('a project that is renamed during a deployment', (test) => {
  test('answers an archive with the deployment, and a repeat with the same', async (api) => {
    const { caller, rename } = await newSite(api)
    const archive = tarGz({ name: 'index.html', content: 'hello' })
    const headers = { ...caller, 'Content-Type': 'application/gzip', 'Idempotency-Key': 'one' }
    const { readable, writable } = new TransformStream<Uint8Array>()
    const url = `${api.origin}/v1/projects/before/deployments`
    const answer = fetch(url, { method: 'POST', headers, body: readable, duplex: 'half' })
    const writer = writable.getWriter()
    await writer.write(archive.subarray(0, 20))
    await until(async () => {
      const list = await api.send<Page<Deployment>>('GET /v1/projects/before/deployments', caller)
      return list.body.items.length === 1
    })
    await rename('before', 'after')
    // Another project has the slug by then.
    await api.send('POST /v1/projects', caller, { json: { slug: 'before' } })
    await writer.write(archive.subarray(20))
    await writer.close()

    const created = await answer
    assert.equal(created.status, 201)
    const deployment = (await created.json()) as CreatedDeployment
    assert.match(deployment.url, /after/)
    assert.equal(deployment.active, true)
    const body = new Uint8Array(archive)
    const again = await api.send('POST /v1/projects/before/deployments', caller, { headers, body })
    assert.equal(again.headers.get('idempotent-replayed'), 'true')
    assert.deepEqual(again.body, deployment)
    const list = await api.send<Page<Deployment>>('GET /v1/projects/after/deployments', caller)
    assert.deepEqual(
      list.body.items.map(({ id, active }) => [id, active]),
      [[deployment.id, true]],
    )
  })

  test('answers finalizing and activating with the deployment', async (api) => {
    const { caller, rename } = await newSite(api)
    const sha256 = createHash('sha256').update('hello').digest('hex')
    const json = { files: { '/index.html': { sha256, size: 5 } } }
    const { body } = await api.send<CreatedDeployment>('POST /v1/projects/before/deployments', caller, {
      json,
    })
    const sent = { headers: { 'Content-Type': 'application/octet-stream' }, body: 'hello' }
    await api.send(`PUT /v1/projects/before/deployments/${body.id}/files/${sha256}`, caller, sent)

    afterNextWrite(api.context.database, () => rename('before', 'after'))
    const route = `POST /v1/projects/before/deployments/${body.id}/finalize`
    const finalized = await api.send<Deployment>(route, caller)
    assert.deepEqual([finalized.status, finalized.body.active], [200, true])

    afterNextWrite(api.context.database, () => rename('after', 'later'))
    const activated = await api.send<Deployment>(
      `POST /v1/projects/after/deployments/${body.id}/activate`,
      caller,
    )
    assert.deepEqual([activated.status, activated.body.active], [200, true])
    assert.match(activated.body.url, /later/)
  })
})
