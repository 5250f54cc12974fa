import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import type { AccountEvent } from '@masthead/contract/schemas/account.ts'
import type { CreatedDeployment, Deployment } from '@masthead/contract/schemas/deployment.ts'
import type { Page } from '@masthead/contract/schemas/fields.ts'
import type { Project } from '@masthead/contract/schemas/project.ts'
import { tarGz } from '../../deployments/archive/tar.test-kit.ts'
import { type ApiUnderTest, onEachApi } from '../api.test-kit.ts'

const route = '/v1/projects/site/deployments'
const meta = {
  message: 'Fix the <b>header</b>\n\nIt was off.',
  commit: '8f14e45fceea167a5a36dedd4bea2543c1c1a3f0',
  branch: 'feature/login',
  repository: 'acme/site',
  author: 'Ada Lovelace',
  url: 'https://git.example/acme/site/pull/12',
  pullRequest: 12,
}

async function newSite(api: ApiUnderTest) {
  const { id } = await api.newAccount()
  const { caller } = await api.newKey(id, ['read', 'deploy', 'admin'])
  await api.send('POST /v1/projects', caller, { json: { slug: 'site' } })
  const archive = (query = '') =>
    api.send<Deployment>(`POST ${route}${query}`, caller, {
      headers: { 'Content-Type': 'application/gzip' },
      body: new Uint8Array(tarGz({ name: 'index.html', content: 'hello' })),
    })
  return { caller, archive }
}

const files = { '/index.html': { sha256: createHash('sha256').update('hello').digest('hex'), size: 5 } }

onEachApi('metadata of deployments', (test) => {
  test('is answered as sent, with a list of files or in the query of an archive', async (api) => {
    const { caller, archive } = await newSite(api)
    const query = new URLSearchParams(Object.entries(meta).map(([name, value]) => [name, String(value)]))
    const sent = await archive(`?${query}`)
    assert.equal(sent.status, 201, sent.text)
    assert.deepEqual(sent.body.meta, meta)
    assert.equal(sent.body.active, false)
    assert.equal(sent.body.branchUrl, 'http://feature-login--site.masthead.localhost:8080')
    const json = { files, meta: { ...meta, branch: 'main', author: '' } }
    const listed = await api.send<CreatedDeployment>(`POST ${route}?author=Grace`, caller, { json })
    const { author: _, ...rest } = json.meta
    assert.deepEqual(listed.body.meta, rest)
    const ready = await api.send<Deployment>(`POST ${route}/${listed.body.id}/finalize`, caller)
    assert.deepEqual([ready.body.active, ready.body.meta], [true, rest])
    const { items } = (await api.send<Page<AccountEvent>>('GET /v1/events', caller)).body
    const { commit, branch } = rest
    assert.deepEqual(items[0]?.data, {
      deploymentId: ready.body.id,
      message: 'Fix the <b>header</b>',
      commit,
      branch,
    })
    const plain = await archive()
    assert.deepEqual([plain.body.active, plain.body.meta, plain.body.branchUrl], [true, {}, null])
  })

  test('decides what goes live: only the production branch, unless asked', async (api) => {
    const { caller, archive } = await newSite(api)
    const isLive = async (query: string) => (await archive(query)).body.active
    assert.equal(await isLive('?branch=main'), true)
    assert.equal(await isLive('?branch='), true)
    assert.equal(await isLive('?branch=main&activate=false'), false)
    assert.equal(await isLive('?branch=trunk'), false)
    assert.equal(await isLive('?branch=trunk&activate=true'), true)
    const json = { productionBranch: 'trunk' }
    const changed = await api.send<Project>('PATCH /v1/projects/site', caller, { json })
    assert.equal(changed.body.productionBranch, 'trunk')
    assert.equal(await isLive('?branch=trunk'), true)
    assert.equal(await isLive('?branch=main'), false)
    for (const productionBranch of ['', 'a b', 'x'.repeat(256), null]) {
      const refused = await api.send('PATCH /v1/projects/site', caller, { json: { productionBranch } })
      assert.equal(refused.status, 422, String(productionBranch))
    }
  })

  test('that could mislead is refused, and nothing is published', async (api) => {
    const { caller, archive } = await newSite(api)
    for (const wrong of [
      { url: 'javascript:alert(1)' },
      { branch: 'a b' },
      { message: 'a\u202eb' },
      { pullRequest: '-1' },
      { other: 'x' },
    ]) {
      const refused = await archive(`?${new URLSearchParams(wrong as Record<string, string>)}`)
      assert.equal(refused.status, 422, JSON.stringify(wrong))
      const listed = await api.send(`POST ${route}`, caller, { json: { files, meta: wrong } })
      assert.equal(listed.status, 422, JSON.stringify(wrong))
    }
    const list = await api.send<Page<Deployment>>(`GET ${route}`, caller)
    assert.deepEqual(list.body.items, [])
  })
})
