import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Deployment } from '@masthead/contract/schemas/deployment.ts'
import type { Id, Page } from '@masthead/contract/schemas/fields.ts'
import type { Project } from '@masthead/contract/schemas/project.ts'
import { until } from '@masthead/testing/until.ts'
import { openDatabase } from '../database/database.ts'
import { onEachDatabase } from '../database/each-database.test-kit.ts'
import { tarGz } from '../deployments/archive/tar.test-kit.ts'
import { findDomainOfAccount, updateDomain } from '../domains/store.ts'
import { noteChange } from '../events/noted-changes.ts'
import { day, minute } from '../kernel/clock.ts'
import { forgetReleasedSlugs } from '../projects/slugs.ts'
import { type ApiUnderTest, type Caller, onEachApi, startApi } from './api.test-kit.ts'

type List = Page<Project>

async function newOwner(api: ApiUnderTest) {
  const { id } = await api.newAccount('Team', 'pro')
  const { caller } = await api.newKey(id, ['read', 'deploy', 'domains', 'admin'])
  return { id, caller }
}

/** The list as it is kept, in both orders and twice, which must be the one that is never kept: of 19 projects. */
async function shown(api: ApiUnderTest, caller: Caller): Promise<Project[]> {
  const read = async (query: string) => (await api.send<List>(`GET /v1/projects?${query}`, caller)).body
  for (const order of ['changed', 'created']) {
    const current = await read(`order=${order}&limit=19`)
    for (const limit of [20, 50, 100, 20]) {
      assert.deepEqual(await read(`order=${order}&limit=${limit}`), current)
    }
  }
  return (await read('')).items
}

async function send<T>(api: ApiUnderTest, caller: Caller, route: string, json?: unknown): Promise<T> {
  const answer = await api.send<T>(route, caller, json === undefined ? {} : { json })
  assert.ok(answer.status < 300, `${route}: ${answer.text}`)
  return answer.body
}

async function deploy(api: ApiUnderTest, caller: Caller, slug: string, content: string): Promise<Deployment> {
  const body = new Uint8Array(tarGz({ name: 'index.html', content }))
  const headers = { 'Content-Type': 'application/gzip' }
  return (await api.send<Deployment>(`POST /v1/projects/${slug}/deployments`, caller, { headers, body })).body
}

onEachApi('the list of projects', (test) => {
  test('shows every change of a project and its deployments at once', async (api) => {
    const { caller } = await newOwner(api)
    const first = async () => (await shown(api, caller))[0]
    assert.deepEqual(await shown(api, caller), [])
    await send(api, caller, 'POST /v1/projects', { slug: 'site' })
    assert.equal((await first())?.activeDeployment, null)
    for (const change of [
      { name: 'Größe 🚢' },
      { singlePage: true },
      { htmlHandling: 'none' },
      { strictTransportSecurity: true },
      { slug: 'place' },
    ]) {
      api.clock.at++
      await send(api, caller, `PATCH /v1/projects/${(await first())?.id}`, change)
      const [[field, value] = []] = Object.entries(change)
      assert.equal(Reflect.get((await first()) ?? {}, field ?? ''), value)
    }
    const one = await deploy(api, caller, 'place', 'one')
    assert.equal((await first())?.activeDeployment?.id, one.id)
    const two = await deploy(api, caller, 'place', 'two')
    assert.equal((await first())?.activeDeployment?.id, two.id)
    api.clock.at++
    await send(api, caller, `POST /v1/projects/place/deployments/${one.id}/activate`)
    assert.equal((await first())?.activeDeployment?.id, one.id)
    await send(api, caller, `DELETE /v1/projects/place/deployments/${two.id}`)
    await shown(api, caller)
    await send(api, caller, 'POST /v1/projects', { slug: 'second' })
    assert.equal((await first())?.slug, 'second')
    await send(api, caller, 'DELETE /v1/projects/place')
    assert.deepEqual(
      (await shown(api, caller)).map(({ slug }) => slug),
      ['second'],
    )
  })

  test('shows when the operator takes a site down and restores it', async (api) => {
    const { caller } = await newOwner(api)
    const { id } = await send<Project>(api, caller, 'POST /v1/projects', { slug: 'site' })
    const takedown = async () => (await shown(api, caller))[0]?.takedown?.reason
    assert.equal(await takedown(), undefined)
    const route = `/v1/operator/projects/${id}/takedown`
    for (const reason of ['Phishing', 'A court order']) {
      await send(api, api.operator, `PUT ${route}`, { reason, status: 451 })
      assert.equal(await takedown(), reason)
    }
    await send(api, api.operator, `DELETE ${route}`)
    assert.equal(await takedown(), undefined)
  })

  test('shows the primary domain from when it is served until it is not', async (api) => {
    const { caller, id: accountId } = await newOwner(api)
    for (const slug of ['site', 'other']) {
      await send(api, caller, 'POST /v1/projects', { slug })
      await deploy(api, caller, slug, slug)
    }
    const hostname = 'www.acme.com'
    const url = async (slug = 'site') =>
      (await shown(api, caller)).find((project) => project.slug === slug)?.primaryUrl
    const own = await url()
    const add = { hostname, move: true }
    await send(api, caller, 'POST /v1/projects/site/domains', add)
    const domain = await findDomainOfAccount(api.context.database.read, accountId, hostname)
    const setPrimary = (slug: string, primary: string) =>
      send(api, caller, `PUT /v1/projects/${slug}/domain-config`, { domains: { primary } })
    await setPrimary('site', hostname)
    assert.equal(await url(), own)
    const change = (to: Parameters<typeof updateDomain>[2]) =>
      api.context.database.write((tx) => updateDomain(tx, domain?.id ?? 'dom_none', to))
    const served = `http://${hostname}:8080`
    for (const [state, held, shows] of [
      ['live', 1, served],
      ['pending', 1, own],
      ['live', 0, own],
      ['drifted', 1, served],
    ] as const) {
      await change({ state, held })
      assert.equal(await url(), shows, `${state}, ${held}`)
    }
    await setPrimary('site', 'site.masthead.localhost')
    assert.equal(await url(), own)
    await setPrimary('site', hostname)
    assert.equal(await url(), served)
    // The limits of the free plan must not have been used up.
    api.clock.at += 2 * minute
    await send(api, caller, 'PUT /v1/account/plan', { plan: 'free', suspendDomains: true })
    assert.equal(await url(), own)
    await send(api, caller, 'PUT /v1/account/plan', { plan: 'pro' })
    await change({ state: 'live', held: 1 })
    assert.equal(await url(), served)
    await send(api, caller, 'POST /v1/projects/other/domains', add)
    assert.equal(await url(), own)
    await setPrimary('other', hostname)
    assert.equal(await url('other'), served)
    await send(api, caller, `DELETE /v1/projects/other/domains/${hostname}`)
    assert.notEqual(await url('other'), served)
  })

  test('shows that another account used a slug, until that is forgotten', async (api) => {
    const [before, after] = [await newOwner(api), await newOwner(api)]
    await send(api, before.caller, 'POST /v1/projects', { slug: 'shop' })
    await send(api, before.caller, 'DELETE /v1/projects/shop')
    api.clock.at += 30 * day
    await send(api, after.caller, 'POST /v1/projects', { slug: 'shop' })
    assert.notEqual((await shown(api, after.caller))[0]?.slugUsedUntil, undefined)
    api.clock.at += 366 * day
    await forgetReleasedSlugs(api.context)
    assert.equal((await shown(api, after.caller))[0]?.slugUsedUntil, undefined)
  })

  test('comes from memory as long as no change of the account is noted', async (api) => {
    const { caller, id } = await newOwner(api)
    const names = async (query = '') =>
      (await api.send<List>(`GET /v1/projects?${query}`, caller)).body.items.map(({ name }) => name)
    await send(api, caller, 'POST /v1/projects', { slug: 'site' })
    assert.deepEqual(await names(), ['site'])
    // As nobody writes: past the functions that note it.
    const { database } = api.context
    await database.write((tx) => tx.updateTable('projects').set({ name: 'By hand' }).execute())
    await newOwner(api)
    for (const [query, name] of [
      ['', 'site'],
      ['limit=7', 'By hand'],
      ['search=hand', 'By hand'],
      ['order=changed', 'By hand'],
      ['', 'site'],
    ] as const) {
      assert.deepEqual(await names(query), [name], query)
    }
    await database.write(async (tx) => noteChange(tx, 'account', id))
    assert.deepEqual(await names(), ['By hand'])
  })

  test('is the one of the account, and only for those who may see it', async (api) => {
    const [one, other] = [await newOwner(api), await newOwner(api)]
    await send(api, one.caller, 'POST /v1/projects', { slug: 'site' })
    for (const { caller } of [one, other, one, other]) {
      assert.equal((await shown(api, caller)).length, caller === one.caller ? 1 : 0)
    }
    const { caller: blind } = await api.newKey(one.id, ['deploy'])
    assert.equal((await api.send('GET /v1/projects', blind)).status, 403)
    const person = await api.newPerson(one.id, 'viewer')
    assert.equal((await shown(api, person.caller)).length, 1)
    await send(api, await newAdmin(api, one.id), `DELETE /v1/members/${person.id}`)
    assert.equal((await api.send('GET /v1/projects', person.caller)).status, 403)
  })

  test('has the same headers and length when it is sent again, and for HEAD', async (api) => {
    const { caller } = await newOwner(api)
    await send(api, caller, 'POST /v1/projects', { slug: 'site', name: 'Größe 🚢' })
    const describe = async (method: string) => {
      const { status, headers } = await fetch(`${api.origin}/v1/projects`, { method, headers: caller })
      return [status, headers.get('content-type'), headers.get('content-length')]
    }
    const first = await describe('GET')
    assert.deepEqual([await describe('GET'), await describe('HEAD')], [first, first])
  })

  test('shows a change to everyone who reads after it, while others are reading', async (api) => {
    const { caller } = await newOwner(api)
    const names = async () =>
      (await api.send<List>('GET /v1/projects', caller)).body.items.map(({ name }) => name)
    await send(api, caller, 'POST /v1/projects', { slug: 'site' })
    for (let n = 0; n < 10; n++) {
      const before = [names(), names()]
      const changing = send(api, caller, 'PATCH /v1/projects/site', { name: `Name ${n}` })
      before.push(names())
      await changing
      assert.deepEqual(await names(), [`Name ${n}`])
      await Promise.all(before)
      assert.deepEqual(await names(), [`Name ${n}`])
    }
  })
})

async function newAdmin(api: ApiUnderTest, accountId: Id<'account'>): Promise<Caller> {
  return (await api.newPerson(accountId, 'owner')).caller
}

onEachDatabase('the list of projects on two nodes', ({ location }) => {
  test('shows what was changed on the other one', async () => {
    await using where = await location()
    await using here = await openNode(where)
    await using there = await openNode(where)
    const { caller } = await newOwner(here.api)
    const names = async (api: ApiUnderTest) =>
      (await api.send<List>('GET /v1/projects', caller)).body.items.map(({ name }) => name)
    assert.deepEqual([await names(here.api), await names(there.api)], [[], []])
    await send(here.api, caller, 'POST /v1/projects', { slug: 'site' })
    await until(async () => (await names(there.api)).length === 1)
    for (const name of ['One', 'Two', 'Three']) {
      await send(there.api, caller, 'PATCH /v1/projects/site', { name })
      assert.deepEqual(await names(there.api), [name])
      await until(async () => (await names(here.api))[0] === name)
    }
  })
})

async function openNode(where: Parameters<typeof openDatabase>[0]) {
  const database = await openDatabase(where, { warn: () => {} })
  const api = await startApi(database)
  return {
    api,
    async [Symbol.asyncDispose]() {
      await api[Symbol.asyncDispose]()
      await database.close()
    },
  }
}
