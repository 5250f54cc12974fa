import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DomainState } from '@masthead/contract/domains/states.ts'
import { onEachDatabase } from '../../database/each-database.test-kit.ts'
import { isoTime } from '../../kernel/clock.ts'
import { putConfig } from '../config/change-config.ts'
import { readConfig } from '../config/read-config.ts'
import { by, type Domains, startDomains } from '../domains.test-kit.ts'
import { findRoute } from '../read.ts'
import { removeDomain } from './remove-domain.ts'
import { removeProject } from './remove-project.ts'
import { findTombstone } from './store.ts'
import { pruneTombstones } from './tombstones.ts'

const own = 'acme.masthead.localhost'
const platform = 'masthead.localhost'

function remove({ context, project }: Domains, hostname: string) {
  return removeDomain(context, { project, hostname, by })
}

function configure({ context, project }: Domains, primary: string, ...redirects: [string, string][]) {
  const domains = { primary, redirects: redirects.map(([from, to]) => ({ from, to, status: 301 as const })) }
  return putConfig(context, { project, input: { domains }, by })
}

onEachDatabase('removing a domain', ({ open }) => {
  test('it is no longer served, and every edge is told to drop it', async () => {
    await using database = await open()
    await using domains = await startDomains(database)
    const { context, clock } = domains
    await domains.prove(await domains.add('acme.com'))
    assert.deepEqual(await findRoute(context, 'acme.com', platform), { kind: 'site', slug: 'acme' })
    const heard = await domains.heardDuring(async () => {
      const removed = await remove(domains, 'acme.com')
      assert.deepEqual([removed.hostname, removed.removedAt], ['acme.com', isoTime(clock.at)])
    })
    assert.deepEqual(heard, ['certificate acme.com', 'domain_stopped acme.com'])
    assert.equal(await findRoute(context, 'acme.com', platform), null)
    assert.deepEqual(await domains.events(1), [{ type: 'domain.removed', data: { hostname: 'acme.com' } }])
    await assert.rejects(remove(domains, 'acme.com'), { code: 'not_found' })
  })

  test('removing a served name warns that its links break, and where they led', async () => {
    await using database = await open()
    await using domains = await startDomains(database)
    for (const name of ['acme.com', 'old.com']) await domains.prove(await domains.add(name))
    await configure(domains, 'acme.com', ['old.com', 'acme.com'])
    const old = await remove(domains, 'old.com')
    assert.deepEqual(
      old.warnings.map(({ code }) => code),
      ['no_redirect'],
    )
    assert.match(
      old.warnings[0]?.message ?? '',
      /^Links to old\.com no longer work: they redirected to acme\.com\./,
    )
    const { warnings } = await remove(domains, 'acme.com')
    assert.deepEqual(
      warnings.map(({ code }) => code),
      ['no_redirect', 'primary_removed'],
    )
    assert.match(warnings[0]?.message ?? '', /^Links to acme\.com no longer work\./)
  })

  test('removing a name that is not served warns only that it has no redirect', async () => {
    await using database = await open()
    await using domains = await startDomains(database)
    const warned = async (name: string) => {
      const [warning, ...more] = (await remove(domains, name)).warnings
      assert.equal(warning?.code, 'no_redirect')
      assert.match(warning.message, /was not being served and had no redirect/)
      assert.deepEqual(more, [])
    }
    for (const state of ['pending', 'failed', 'suspended'] as const) {
      await domains.prove(await domains.add('acme.com'), state)
      await warned('acme.com')
    }
    await domains.add('new.com')
    await warned('new.com')
    for (const name of ['acme.com', 'old.com']) await domains.add(name)
    await configure(domains, 'acme.com', ['old.com', 'acme.com'])
    assert.deepEqual((await remove(domains, 'old.com')).warnings, [])
  })

  test('a live wildcard of the account answers for the name, and the warning says so', async () => {
    await using database = await open()
    await using domains = await startDomains(database)
    const { account, project } = await domains.addCustomer('tenants', 'business')
    const other = await domains.addPublished('other', account.id)
    const [wildcard, name] = ['*.acme.com', 'www.acme.com']
    const wild = await domains.add(wildcard, { to: project })
    async function warningsWith(state: DomainState, of = project) {
      await domains.prove(wild, state)
      await domains.prove(await domains.add(name, { to: of }))
      const { warnings } = await removeDomain(domains.context, { project: of, hostname: name, by })
      return warnings.map(({ code, message }) => `${code}: ${message}`)
    }
    const covered = `wildcard_covers: ${wildcard} covers ${name}: links to it show what ${wildcard} shows.`
    assert.deepEqual(await warningsWith('live'), [covered])
    assert.deepEqual(await warningsWith('live', other), [covered])
    for (const state of ['pending', 'verified', 'drifted', 'suspended'] as const) {
      assert.match((await warningsWith(state)).join(), /^no_redirect: Links to www\.acme\.com no longer work/)
    }
    await domains.prove(wild)
    const { warnings } = await removeDomain(domains.context, { project, hostname: wildcard, by })
    assert.match(warnings[0]?.message ?? '', /^Links to \*\.acme\.com no longer work/)
  })

  test('redirects to it are removed too, and named', async () => {
    await using database = await open()
    await using domains = await startDomains(database)
    const { context, project } = domains
    for (const name of ['acme.com', 'www.acme.com', 'old.com']) await domains.add(name)
    await configure(
      domains,
      'acme.com',
      ['www.acme.com', 'acme.com'],
      [own, 'acme.com'],
      ['old.com', 'acme.com'],
    )
    const heard = await domains.heardDuring(async () => {
      const { warnings } = await remove(domains, 'acme.com')
      const message = warnings.find(({ code }) => code === 'redirects_removed')?.message ?? ''
      assert.match(message, /: www\.acme\.com, acme\.masthead\.localhost, old\.com\.$/)
    })
    assert.deepEqual(heard, [
      'domain old.com',
      'domain www.acme.com',
      'domain_stopped acme.com',
      'project acme',
    ])
    assert.deepEqual(await readConfig(context, project), { domains: { primary: own, redirects: [] } })
  })

  test('an account keeps a hundred tombstones of unproved names, and all of proved ones', async () => {
    await using database = await open()
    await using domains = await startDomains(database)
    const { account, clock } = domains
    await domains.prove(await domains.add('proved.com'))
    await remove(domains, 'proved.com')
    for (let n = 0; n < 102; n++) {
      clock.at += 1_000
      await domains.add(`n${n}.com`)
      await remove(domains, `n${n}.com`)
    }
    const left = await database.read
      .selectFrom('domain_tombstones')
      .select('hostname')
      .where('account_id', '=', account.id)
      .orderBy('removed_at')
      .execute()
    const names = left.map(({ hostname }) => hostname)
    assert.deepEqual([names.length, ...names.slice(0, 2)], [101, 'proved.com', 'n2.com'])
  })

  test('a proof stays recorded, even if the name is added and removed again without one', async () => {
    await using database = await open()
    await using domains = await startDomains(database)
    const { context, clock, account } = domains
    await domains.prove(await domains.add('acme.com'))
    const provedAt = clock.at
    await remove(domains, 'acme.com')
    clock.at += 1_000
    await domains.add('acme.com')
    await domains.add('other.com')
    await remove(domains, 'acme.com')
    await remove(domains, 'other.com')
    const tombstone = (hostname: string) => findTombstone(database.read, hostname, account.id)
    assert.equal((await tombstone('acme.com'))?.held_at, provedAt)
    assert.equal((await tombstone('other.com'))?.held_at, null)

    clock.at += 89 * 24 * 3_600_000
    await pruneTombstones(context)
    assert.ok(await tombstone('other.com'))
    clock.at += 2 * 24 * 3_600_000
    await pruneTombstones(context)
    assert.equal(await tombstone('other.com'), undefined)
    assert.ok(await tombstone('acme.com'))
  })
})

onEachDatabase('removing a project', ({ open }) => {
  test('its domains are removed with it, and others stay', async () => {
    await using database = await open()
    await using domains = await startDomains(database)
    const { context, project, account } = domains
    const other = await domains.addPublished('other', account.id)
    const { verified_at } = await domains.prove(await domains.add('acme.com'))
    const { target } = await domains.add('www.acme.com')
    await domains.prove(await domains.add('other.com', { to: other }))
    const heard = await domains.heardDuring(() => removeProject(context, { project, by }))
    assert.deepEqual(heard, [
      'certificate acme.com',
      'domain_stopped acme.com',
      'domain_stopped www.acme.com',
      'project acme',
    ])
    assert.equal(await findRoute(context, 'acme.com', platform), null)
    assert.deepEqual(await findRoute(context, 'other.com', platform), { kind: 'site', slug: 'other' })
    const types = (await domains.events(3)).map(({ type }) => type)
    assert.deepEqual(types, ['project.deleted', 'domain.removed', 'domain.removed'])
    const heldAt = async (name: string) => (await findTombstone(database.read, name, account.id))?.held_at
    assert.deepEqual([await heldAt('acme.com'), await heldAt('www.acme.com')], [verified_at, null])
    assert.equal((await domains.add('www.acme.com', { to: other })).target, target)
    await assert.rejects(removeProject(context, { project, by }), { code: 'not_found' })
  })
})
