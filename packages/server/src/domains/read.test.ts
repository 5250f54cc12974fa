import assert from 'node:assert/strict'
import { test } from 'node:test'
import { domainStateNames, isServed } from '@masthead/contract/domains/states.ts'
import { onEachDatabase } from '../database/each-database.test-kit.ts'
import { listDeployments } from '../deployments/read.ts'
import { changeProject } from '../projects/change-project.ts'
import { putConfig } from './config/change-config.ts'
import { by, type Domains, startDomains } from './domains.test-kit.ts'
import { updateProof } from './proofs/store.ts'
import { findRoute, findSite, mayWildcardCover } from './read.ts'

const platform = 'masthead.localhost'
const own = `acme.${platform}`

const routeOf = ({ context }: Domains, hostname: string) => findRoute(context, hostname, platform)

function redirect({ context, project }: Domains, ...redirects: [from: string, to: string][]) {
  const domains = {
    primary: redirects[0]?.[1] ?? own,
    redirects: redirects.map(([from, to]) => ({ from, to, status: 308 as const })),
  }
  return putConfig(context, { project, input: { domains }, by })
}

onEachDatabase('a host', ({ open }) => {
  test('is served while it is held and its state allows it', async () => {
    await using database = await open()
    await using domains = await startDomains(database)
    const row = await domains.add('acme.com')
    assert.equal(await routeOf(domains, 'acme.com'), null)
    for (const state of domainStateNames) {
      await domains.prove(row, state)
      const site = { kind: 'site', slug: 'acme' }
      // No redirect to HTTPS before it works.
      const isPlain = state === 'verified' || state === 'prepared'
      const marks = {
        ...(isPlain && { secured: false }),
        ...(state === 'drifted' && { pointsHere: false }),
      }
      const expected = isServed(state) ? { ...site, ...marks } : null
      assert.deepEqual(await routeOf(domains, 'acme.com'), expected, state)
    }
    await domains.prove(row)
    await domains.lose(row)
    assert.equal(await routeOf(domains, 'acme.com'), null)
    assert.equal(await routeOf(domains, 'unknown.com'), null)
  })

  test('is served by the account that holds it, despite other claims', async () => {
    await using database = await open()
    await using domains = await startDomains(database)
    const { project } = await domains.addCustomer('squatter')
    await domains.add('acme.com', { to: project })
    await domains.prove(await domains.add('acme.com'))
    assert.deepEqual(await routeOf(domains, 'acme.com'), { kind: 'site', slug: 'acme' })
  })

  test('below a wildcard is served by it and redirects with it, unless it is a domain of its own', async () => {
    await using database = await open()
    await using domains = await startDomains(database)
    const { context } = domains
    const { project } = await domains.addCustomer('tenants', 'business')
    const [name, wildcard] = ['shop.acme.com', '*.acme.com']
    const wild = await domains.add(wildcard, { to: project })
    assert.equal(await routeOf(domains, name), null)
    await domains.prove(wild)
    const covered = { kind: 'site', slug: 'tenants', wildcard }
    assert.deepEqual(await routeOf(domains, name), covered)
    for (const other of ['acme.com', 'a.shop.acme.com', 'shopacme.com', 'com']) {
      assert.equal(await routeOf(domains, other), null, other)
    }
    // Another account's, in whatever state.
    const exact = await domains.add(name)
    assert.deepEqual(await routeOf(domains, name), covered)
    assert.equal(await mayWildcardCover(context, name), true)
    for (const state of domainStateNames) {
      await domains.prove(exact, state)
      const route = await routeOf(domains, name)
      assert.deepEqual(
        [route?.slug, route?.wildcard],
        [isServed(state) ? 'acme' : undefined, undefined],
        state,
      )
      assert.equal(await mayWildcardCover(context, name), false)
    }
    // Who has proved the domain need not wait for a claim that shows nothing.
    const proof = { account_id: project.account_id, domain: 'acme.com' }
    await database.write((tx) => updateProof(tx, proof, { state: 'proved', stands: 1 }))
    for (const state of domainStateNames) {
      await domains.prove(exact, state)
      assert.equal((await routeOf(domains, name))?.slug, isServed(state) ? 'acme' : 'tenants', state)
      assert.equal(await mayWildcardCover(context, name), !isServed(state), state)
    }
    await domains.lose(exact)
    assert.deepEqual(await routeOf(domains, name), covered)

    await domains.prove(await domains.add('www.acme.com', { to: project }))
    assert.equal(await mayWildcardCover(context, 'www.acme.com'), true)
    const to = 'www.acme.com'
    const input = { domains: { primary: to, redirects: [{ from: wildcard, to, status: 308 as const }] } }
    await putConfig(context, { project, input, by })
    const redirected = { kind: 'redirect', slug: 'tenants', wildcard, to, status: 308 }
    assert.deepEqual(await routeOf(domains, name), redirected)
    assert.deepEqual(await routeOf(domains, to), { kind: 'site', slug: 'tenants' })
    await domains.prove(wild, 'suspended')
    assert.equal(await routeOf(domains, name), null)
  })

  test('redirects once its target is served, and shows the site until then', async () => {
    await using database = await open()
    await using domains = await startDomains(database)
    await domains.prove(await domains.add('www.acme.com'))
    const target = await domains.add('acme.com')
    await redirect(domains, ['www.acme.com', 'acme.com'])
    assert.deepEqual(await routeOf(domains, 'www.acme.com'), { kind: 'site', slug: 'acme' })
    await domains.prove(target, 'verified')
    const leads = { kind: 'redirect', slug: 'acme', to: 'acme.com', status: 308 }
    assert.deepEqual(await routeOf(domains, 'www.acme.com'), { ...leads, https: false })
    await domains.prove(target, 'live')
    assert.deepEqual(await routeOf(domains, 'www.acme.com'), leads)
    assert.deepEqual(await routeOf(domains, 'acme.com'), { kind: 'site', slug: 'acme' })
    await domains.lose(target)
    const { project } = await domains.addCustomer('winner')
    await domains.prove(await domains.add('acme.com', { to: project }))
    assert.deepEqual(await routeOf(domains, 'www.acme.com'), { kind: 'site', slug: 'acme' })
  })

  test('requires HTTPS if the project does, also on a host that redirects', async () => {
    await using database = await open()
    await using domains = await startDomains(database)
    await domains.prove(await domains.add('www.acme.com'))
    await domains.prove(await domains.add('acme.com'))
    await redirect(domains, ['www.acme.com', 'acme.com'], [own, 'acme.com'])
    const change = { strictTransportSecurity: true }
    await changeProject(domains.context, { project: domains.project, change, by })
    const leads = { to: 'acme.com', status: 308, hstsMaxAge: 31_536_000 }
    assert.deepEqual(await routeOf(domains, 'www.acme.com'), { kind: 'redirect', slug: 'acme', ...leads })
    const site = await findSite(domains.context, { kind: 'project', slug: 'acme' }, platform)
    assert.deepEqual(site?.redirect, leads)
  })

  test('redirects to the default subdomain without checking that it is served', async () => {
    await using database = await open()
    await using domains = await startDomains(database)
    await domains.prove(await domains.add('acme.com'))
    await redirect(domains, ['acme.com', own])
    const leads = { kind: 'redirect', slug: 'acme', to: own, status: 308 }
    assert.deepEqual(await routeOf(domains, 'acme.com'), leads)
  })

  test('under the platform domain redirects by the same rule, and a preview never does', async () => {
    await using database = await open()
    await using domains = await startDomains(database)
    const { context, project } = domains
    const target = await domains.add('acme.com')
    await redirect(domains, [own, 'acme.com'])
    const live = { kind: 'project', slug: 'acme' } as const
    assert.equal((await findSite(context, live, platform))?.redirect, null)
    await domains.prove(target)
    assert.deepEqual((await findSite(context, live, platform))?.redirect, { to: 'acme.com', status: 308 })
    const { items } = await listDeployments(context, project, context.addresses, { limit: 1 })
    const deployment = items[0]?.id.slice('dpl_'.length) ?? ''
    const preview = await findSite(context, { kind: 'preview', slug: 'acme', deployment }, platform)
    assert.deepEqual([preview?.slug, preview?.redirect], ['acme', null])
    assert.equal(await findSite(context, { kind: 'project', slug: 'nobody' }, platform), null)
  })
})
