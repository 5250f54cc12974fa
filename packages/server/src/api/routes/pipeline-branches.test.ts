import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, before } from 'node:test'
import type { Deployment } from '@masthead/contract/schemas/deployment.ts'
import type { ExchangedKey } from '@masthead/contract/schemas/key.ts'
import type { Project } from '@masthead/contract/schemas/project.ts'
import { startOidcIssuer } from '@masthead/testing/peers/oidc/issuer.ts'
import { tarGz } from '../../deployments/archive/tar.test-kit.ts'
import { type ApiUnderTest, type Caller, nobody, onEachApi } from '../api.test-kit.ts'
import { publish } from './publish.test-kit.ts'

const audience = 'http://localhost:8080'
const repository = 'acme/website'
const feature = { repository, ref: 'refs/heads/feature-x', ref_type: 'branch', event_name: 'push' }

let peer: Awaited<ReturnType<typeof startOidcIssuer>>
before(async () => {
  peer = await startOidcIssuer()
})
after(() => peer[Symbol.asyncDispose]())

/** A published project, which pipelines of a repository may deploy to. */
async function setTheScene(api: ApiUnderTest) {
  const { id } = await api.newAccount()
  const owner = (await api.newPerson(id, 'owner')).caller
  await publish(api, (await api.newKey(id, ['deploy'])).caller, 'website')
  const trust = async (claims: object) => {
    const json = { issuer: peer.issuer, claims, project: 'website' }
    const added = await api.send('POST /v1/trusted-publishers', owner, { json })
    assert.equal(added.status, 201, added.text)
  }
  const keyFor = async (claims: Record<string, string>): Promise<Caller> => {
    // The issuer's clock is the real one.
    api.clock.at = Date.now()
    const json = { token: await peer.newToken({ audience, claims }), project: 'website' }
    const { status, body, text } = await api.send<ExchangedKey>('POST /v1/token', nobody, { json })
    assert.equal(status, 201, text)
    return api.byKey(body.secret)
  }
  const live = async () =>
    (await api.send<Project>('GET /v1/projects/website', owner)).body.activeDeployment?.id
  return { owner, trust, keyFor, live }
}

const site = '/v1/projects/website'
let count = 0

function deploy(api: ApiUnderTest, as: Caller, query: string) {
  const body = new Uint8Array(tarGz({ name: 'index.html', content: `version ${++count}` }))
  const headers = { 'Content-Type': 'application/gzip' }
  return api.send<Deployment & { code?: string; detail?: string }>(`POST ${site}/deployments?${query}`, as, {
    headers,
    body,
  })
}

onEachApi('a pipeline that is trusted on every branch', (test) => {
  test('publishes previews from any branch, and makes nothing live', async (api) => {
    const { owner, trust, keyFor, live } = await setTheScene(api)
    await trust({ repository })
    const before = await live()
    const key = await keyFor(feature)
    const preview = await deploy(api, key, 'branch=feature-x')
    assert.deepEqual([preview.status, preview.body.active], [201, false], preview.text)
    const refusals = [
      await deploy(api, key, 'branch=feature-x&activate=true'),
      await deploy(api, key, ''),
      await api.send(`POST ${site}/deployments/${preview.body.id}/activate`, key),
      await api.send(`POST ${site}/deployments/${before}/activate`, key),
    ]
    for (const { status, body } of refusals) {
      assert.deepEqual([status, body.code], [403, 'branch_refused'])
      assert.match(body.detail ?? '', /the branch feature-x, and only main goes live/)
    }
    // The same file as what is live.
    const [sha256, size] = [createHash('sha256').update('website').digest('hex'), 'website'.length]
    const json = { files: { '/index.html': { sha256, size } } }
    const announced = await api.send<Deployment>(`POST ${site}/deployments`, key, { json })
    assert.equal(announced.status, 201, announced.text)
    const finalize = `POST ${site}/deployments/${announced.body.id}/finalize`
    for (const query of ['', '?activate=true']) {
      const refused = await api.send(`${finalize}${query}`, key)
      assert.deepEqual([refused.status, refused.body.code], [403, 'branch_refused'], query)
    }
    const finalized = await api.send<Deployment>(`${finalize}?activate=false`, key)
    assert.deepEqual([finalized.status, finalized.body.active], [200, false], finalized.text)
    assert.equal(await live(), before)

    await api.send(`PATCH ${site}`, owner, { json: { productionBranch: 'feature-x' } })
    assert.equal((await deploy(api, key, 'branch=feature-x')).body.active, true)
  })

  test('cannot take over the address of another branch', async (api) => {
    const { owner, trust, keyFor } = await setTheScene(api)
    await trust({ repository })
    await trust({ project_path: repository })
    const json = { files: { '/index.html': { sha256: 'a'.repeat(64), size: 1 } } }
    const pull = { repository, ref: 'refs/pull/1/merge', head_ref: 'feature-x', event_name: 'pull_request' }
    const gitlab = { project_path: repository, ref_type: 'branch', pipeline_source: 'merge_request_event' }
    const merge = { ...gitlab, ref: 'feature-x', ref_path: 'refs/heads/feature-x' }
    const tag = { repository, ref: 'refs/tags/v1', ref_type: 'tag' }
    for (const [claims, own] of [
      [feature, 'feature-x'],
      [pull, 'feature-x'],
      [{ ...pull, ref: 'refs/heads/main', event_name: 'pull_request_target' }, 'pull/1'],
      // From a fork, or not: its branch has the name of the production branch.
      [{ ...pull, head_ref: 'main' }, 'pull/1'],
      [merge, 'feature-x'],
      [{ ...merge, ref: 'main', ref_path: 'refs/heads/main' }, 'pull/1'],
      [tag, 'tags/v1'],
    ] as const) {
      const key = await keyFor(claims)
      const about = JSON.stringify(claims)
      for (const other of ['main', 'next']) {
        const refusals = [
          await deploy(api, key, `branch=${other}&activate=false`),
          await api.send(`POST ${site}/deployments?branch=${other}`, key, { json }),
          await api.send(`POST ${site}/deployments`, key, { json: { ...json, meta: { branch: other } } }),
        ]
        for (const { status, body } of refusals) {
          assert.deepEqual([status, body.code], [403, 'branch_refused'], about)
          assert.match(body.detail ?? '', new RegExp(`previews of ${other}\\. Leave out \`branch\``))
        }
      }
      const labelled = await deploy(api, key, `branch=${encodeURIComponent(own)}&activate=false`)
      assert.deepEqual([labelled.status, labelled.body.meta?.branch], [201, own], about)
      assert.equal((await deploy(api, key, 'activate=false')).status, 201, about)
    }
    const ofOwner = await api.send(`POST ${site}/deployments?branch=next`, owner, { json })
    assert.equal(ofOwner.status, 201, ofOwner.text)
    // A workflow of the production branch can go live, so it can publish what other branches built too.
    const main = await keyFor({ repository, ref: 'refs/heads/main', event_name: 'workflow_run' })
    assert.equal((await deploy(api, main, 'branch=next&activate=false')).status, 201)
  })

  test('can neither finalize nor delete what is labelled with another branch', async (api) => {
    const { owner, trust, keyFor } = await setTheScene(api)
    await trust({ repository })
    const key = await keyFor(feature)
    // The same file as what is live, so nothing is missing.
    const [sha256, size] = [createHash('sha256').update('website').digest('hex'), 'website'.length]
    const json = { files: { '/index.html': { sha256, size } }, meta: { branch: 'next' } }
    const { body: upload } = await api.send<Deployment>(`POST ${site}/deployments`, owner, { json })
    const { body: next } = await deploy(api, owner, 'branch=next')
    const { body: main } = await deploy(api, owner, 'branch=main&activate=false')
    const refusals = [
      await api.send(`POST ${site}/deployments/${upload.id}/finalize?activate=false`, key),
      await api.send(`DELETE ${site}/deployments/${upload.id}`, key),
      await api.send(`DELETE ${site}/deployments/${next.id}`, key),
      await api.send(`DELETE ${site}/deployments/${main.id}`, key),
    ]
    for (const { status, body } of refusals) assert.deepEqual([status, body.code], [403, 'branch_refused'])
    const production = await keyFor({ repository, ref: 'refs/heads/main', event_name: 'push' })
    assert.equal((await api.send(`DELETE ${site}/deployments/${next.id}`, production)).status, 204)
    for (const query of ['branch=feature-x', 'branch=pull/7&activate=false', 'activate=false']) {
      const { body } = await deploy(api, key, query)
      assert.equal((await api.send(`DELETE ${site}/deployments/${body.id}`, key)).status, 204, query)
    }
  })

  test('cannot delete what was live without a branch, to which one would roll back', async (api) => {
    const { owner, trust, keyFor, live } = await setTheScene(api)
    await trust({ repository })
    const former = await live()
    await deploy(api, owner, '')
    const key = await keyFor(feature)
    const refused = await api.send(`DELETE ${site}/deployments/${former}`, key)
    assert.deepEqual([refused.status, refused.body.code], [403, 'branch_refused'], refused.text)
    assert.match(refused.body.detail ?? '', /cannot finalize or delete deployments of main/)
    const production = await keyFor({ repository, ref: 'refs/heads/main', event_name: 'push' })
    assert.equal((await api.send(`DELETE ${site}/deployments/${former}`, production)).status, 204)
  })

  test('goes live from the production branch alone, by the claims of each provider', async (api) => {
    const { trust, keyFor } = await setTheScene(api)
    await trust({ repository })
    await trust({ project_path: repository })
    await trust({ workload: 'publisher' })
    const gitlab = { project_path: repository, ref_type: 'branch', pipeline_source: 'push' }
    const main = { repository, ref: 'refs/heads/main' }
    for (const claims of [
      main,
      { ...main, event_name: 'workflow_dispatch' },
      { ...gitlab, ref: 'main', ref_path: 'refs/heads/main' },
      { ...gitlab, ref: 'main' },
      // Says nothing about branches.
      { workload: 'publisher' },
    ]) {
      const { body } = await deploy(api, await keyFor(claims), 'activate=true')
      assert.equal(body.active, true, JSON.stringify(claims))
    }
    for (const claims of [
      feature,
      { repository, ref: 'refs/tags/main', ref_type: 'tag' },
      { repository, ref: 'refs/pull/1/merge', event_name: 'pull_request' },
      { ...main, event_name: 'pull_request_target' },
      { repository, ref: 'refs/heads/x/main' },
      { repository, ref: 'main' },
      { repository, ref: '' },
      { ...gitlab, ref: 'main', ref_type: 'tag', ref_path: 'refs/tags/main' },
      { ...gitlab, ref: 'main', ref_type: 'tag' },
      { ...gitlab, ref: 'main', ref_path: 'refs/heads/main', pipeline_source: 'merge_request_event' },
      { ...gitlab, ref: 'refs/heads/main', ref_path: 'refs/heads/refs/heads/main' },
      { ...gitlab, ref: 'dev', ref_path: 'refs/heads/dev' },
    ]) {
      const { status, body } = await deploy(api, await keyFor(claims), 'activate=true')
      assert.deepEqual([status, body.code], [403, 'branch_refused'], JSON.stringify(claims))
    }
  })

  test('goes live from what another trust names: a branch, an environment, tags', async (api) => {
    const { trust, keyFor } = await setTheScene(api)
    // The first that matches does not name a branch.
    await trust({ repository })
    for (const claims of [
      { repository, ref: feature.ref },
      { repository, environment: 'production' },
      { repository, ref_type: 'tag' },
    ]) {
      await trust(claims)
    }
    for (const claims of [
      feature,
      { ...feature, ref: 'refs/heads/other', environment: 'production' },
      { repository, ref: 'refs/tags/v1', ref_type: 'tag' },
    ]) {
      const { status, body } = await deploy(api, await keyFor(claims), 'branch=x&activate=true')
      assert.deepEqual([status, body.active], [201, true], JSON.stringify(claims))
    }
    const other = await keyFor({ ...feature, ref: 'refs/heads/other' })
    assert.equal((await deploy(api, other, 'branch=x&activate=true')).status, 403)
  })
})
