import assert from 'node:assert/strict'
import type { Page } from '@masthead/contract/schemas/fields.ts'
import type { Project } from '@masthead/contract/schemas/project.ts'
import { findDomainOfAccount, updateDomain } from '../../domains/store.ts'
import { day } from '../../kernel/clock.ts'
import { type Caller, onEachApi } from '../api.test-kit.ts'
import { publish } from './publish.test-kit.ts'

onEachApi('a project', (test) => {
  test('is created, found by slug and id, changed and deleted', async (api) => {
    const { id } = await api.newAccount()
    const { caller } = await api.newKey(id, ['read', 'deploy', 'admin'])
    const made = await api.send<Project>('POST /v1/projects', caller, { json: { slug: 'site' } })
    assert.equal(made.status, 201)
    assert.equal(made.body.name, 'site')
    assert.equal(made.body.url, 'http://site.masthead.localhost:8080')
    assert.equal(made.body.primaryUrl, made.body.url)
    assert.equal(made.body.activeDeployment, null)
    for (const name of ['site', made.body.id]) {
      assert.deepEqual((await api.send(`GET /v1/projects/${name}`, caller)).body, made.body)
    }
    assert.deepEqual([made.body.strictTransportSecurity, made.body.immutableAssets], [false, true])
    const json = { slug: 'place', singlePage: true, strictTransportSecurity: true, immutableAssets: false }
    const changed = await api.send<Project>('PATCH /v1/projects/site', caller, { json })
    assert.equal(changed.body.slug, 'place')
    assert.equal(changed.body.singlePage, true)
    assert.deepEqual([changed.body.strictTransportSecurity, changed.body.immutableAssets], [true, false])
    const stale = async (staleWhileRevalidate: unknown) =>
      api.send<Project>('PATCH /v1/projects/place', caller, { json: { staleWhileRevalidate } })
    assert.equal(made.body.staleWhileRevalidate, 0)
    for (const seconds of [1, 86_400, 0]) {
      assert.equal((await stale(seconds)).body.staleWhileRevalidate, seconds)
    }
    for (const wrong of [-1, 1.5, 86_401, '60', null, true]) assert.equal((await stale(wrong)).status, 422)
    assert.equal((await api.send('GET /v1/projects/site', caller)).status, 404)
    assert.equal((await api.send('DELETE /v1/projects/place', caller)).status, 204)
    assert.equal((await api.send('GET /v1/projects/place', caller)).status, 404)
  })

  test('cannot have a taken slug, even simultaneously, nor a reserved one', async (api) => {
    const callers: Caller[] = []
    for (let n = 0; n < 3; n++) {
      callers.push((await api.newKey((await api.newAccount()).id, ['deploy'])).caller)
    }
    const create = (slug: string) =>
      Promise.all(callers.map((caller) => api.send('POST /v1/projects', caller, { json: { slug } })))
    const tries = await create('site')
    assert.deepEqual(tries.map(({ status }) => status).sort(), [201, 409, 409])
    for (const { status, body } of tries) if (status === 409) assert.equal(body.code, 'slug_taken')
    for (const slug of ['www', 'wpad', 'autodiscover', 'postmaster', 'mta-sts', '_dmarc']) {
      for (const { status } of await create(slug)) assert.equal(status, 422, slug)
    }
  })

  test('reserves its slug for its account for 30 days, and the next owner sees that it was used', async (api) => {
    const callers: Caller[] = []
    for (let n = 0; n < 2; n++) {
      const { id } = await api.newAccount()
      callers.push((await api.newKey(id, ['read', 'deploy', 'admin'])).caller)
    }
    const [owner, stranger] = callers as [Caller, Caller]
    const create = (caller: Caller, slug = 'shop') =>
      api.send<Project & { availableAt?: string }>('POST /v1/projects', caller, { json: { slug } })
    await create(owner)
    assert.equal((await api.send('DELETE /v1/projects/shop', owner)).status, 204)
    const releasedAt = new Date(api.clock.at).toISOString()
    const refused = await create(stranger)
    assert.equal(refused.status, 409)
    assert.equal(refused.body.availableAt, new Date(api.clock.at + 30 * day).toISOString())
    await create(stranger, 'other')
    const renamed = await api.send('PATCH /v1/projects/other', stranger, { json: { slug: 'shop' } })
    assert.equal(renamed.status, 409)
    api.clock.at += 30 * day
    assert.equal((await create(stranger)).body.slugUsedUntil, releasedAt)
    const { body: again } = await api.send<Project>('GET /v1/projects/shop', stranger)
    assert.equal(again.slugUsedUntil, releasedAt)
    const { body: other } = await api.send<Project>('GET /v1/projects/other', stranger)
    assert.equal(other.slugUsedUntil, undefined)
  })

  test('shows the URL of its primary domain as soon as that is served', async (api) => {
    const { id } = await api.newAccount('Team', 'pro')
    const { caller } = await api.newKey(id, ['read', 'deploy', 'domains'])
    await publish(api, caller, 'site')
    await api.send('POST /v1/projects/site/domains', caller, { json: { hostname: 'www.acme.com' } })
    const config = { domains: { primary: 'www.acme.com' } }
    await api.send('PUT /v1/projects/site/domain-config', caller, { json: config })
    const told = async () => {
      const { body: one } = await api.send<Project>('GET /v1/projects/site', caller)
      const { body: page } = await api.send<Page<Project>>('GET /v1/projects', caller)
      assert.deepEqual(page.items, [one])
      return { url: one.url, primaryUrl: one.primaryUrl }
    }
    const url = 'http://site.masthead.localhost:8080'
    assert.deepEqual(await told(), { url, primaryUrl: url })
    const served = { held: 1, state: 'live' } as const
    const { database } = api.context
    const domain = await findDomainOfAccount(database.read, id, 'www.acme.com')
    await database.write((tx) => updateDomain(tx, domain?.id ?? 'dom_none', served))
    assert.deepEqual(await told(), { url, primaryUrl: 'http://www.acme.com:8080' })
    const json = { name: 'Shop' }
    const changed = await api.send<Project>('PATCH /v1/projects/site', caller, { json })
    assert.equal(changed.body.primaryUrl, 'http://www.acme.com:8080')
  })

  test('is not changed by an empty change', async (api) => {
    const { id } = await api.newAccount()
    const { caller } = await api.newKey(id, ['read', 'deploy'])
    await api.send('POST /v1/projects', caller, { json: { slug: 'site' } })
    const refused = await api.send('PATCH /v1/projects/site', caller, { json: {} })
    assert.equal(refused.status, 422)
    assert.equal(refused.body.detail, 'The body must name at least one field to change.')
  })
})
