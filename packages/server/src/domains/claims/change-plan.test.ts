import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PlanName } from '@masthead/contract/plans.ts'
import { renameAccountIn } from '../../accounts/change-account.ts'
import { onEachDatabase } from '../../database/each-database.test-kit.ts'
import { newId } from '../../kernel/ids.ts'
import { Problem } from '../../kernel/problem.ts'
import { putConfig } from '../config/change-config.ts'
import type { DomainRow } from '../domain.ts'
import { by, type Domains, startDomains } from '../domains.test-kit.ts'
import { findRoute } from '../read.ts'
import { domainsOfAccount } from '../store.ts'
import { listTimeline } from '../timeline/timeline.ts'
import { changePlanOf, finishPlanChanges } from './change-plan.ts'
import { deleteAccount } from './delete-account.ts'

const platform = 'masthead.localhost'

function change({ context, account }: Domains, plan: PlanName, suspendDomains = false, atOnce?: number) {
  return changePlanOf(context, { accountId: account.id, plan, suspendDomains, by }, atOnce)
}

/** Live subdomains. Returns the name of the last one. */
async function addMany(domains: Domains, number: number): Promise<string> {
  const first = await domains.prove(await domains.add('n000.acme.com'))
  const names = Array.from({ length: number }, (_, n) => `n${String(n).padStart(3, '0')}.acme.com`)
  const rows = names.slice(1).map((hostname, n) => ({
    ...first,
    id: newId('domain', first.created_at + n),
    hostname,
    target: `target${n}`,
  }))
  await domains.context.database.write((tx) => tx.insertInto('domains').values(rows).execute())
  return names.at(-1) ?? assert.fail()
}

onEachDatabase('a change of plan', ({ open }) => {
  test('that would suspend domains is rejected with their names until confirmed', async () => {
    await using database = await open()
    await using domains = await startDomains(database)
    await domains.add('www.acme.com')
    await domains.add('acme.com')
    await assert.rejects(change(domains, 'free'), (error: unknown) => {
      assert.ok(error instanceof Problem)
      assert.equal(error.code, 'domains_would_suspend')
      assert.deepEqual(error.extra, { domains: ['acme.com', 'www.acme.com'] })
      assert.match(error.message, /2 custom domains would be suspended/)
      return true
    })
    const row = await domains.add('still.on.pro.com')
    assert.equal(row.state, 'pending')
    assert.equal((await change(domains, 'business')).plan, 'business')
  })

  test('to a plan without domains stops them immediately, including redirects to them', async () => {
    await using database = await open()
    await using domains = await startDomains(database)
    const { context, project, clock } = domains
    const live = await domains.prove(await domains.add('acme.com'))
    const waiting = await domains.add('waiting.com')
    const redirects = [{ from: `acme.${platform}`, to: 'acme.com', status: 301 as const }]
    await putConfig(context, { project, input: { domains: { primary: 'acme.com', redirects } }, by })
    clock.at += 1_000

    const heard = await domains.heardDuring(() => change(domains, 'free', true))
    const access = `access ${domains.account.id}`
    assert.deepEqual(heard, [access, 'certificate acme.com', 'domain_stopped acme.com', 'project acme'])
    assert.equal(await findRoute(context, 'acme.com', platform), null)
    for (const [row, before] of [
      [live, 'live'],
      [waiting, 'pending'],
    ] as const) {
      const { state, state_before, state_since, next_check_at } = await domains.current(row)
      assert.deepEqual(
        [state, state_before, state_since, next_check_at],
        ['suspended', before, clock.at, null],
      )
    }
    assert.deepEqual(await domains.events(3), [
      { type: 'domain.suspended', data: { hostname: 'waiting.com' } },
      { type: 'domain.suspended', data: { hostname: 'acme.com' } },
      { type: 'account.plan_changed', data: { plan: 'free' } },
    ])
    assert.equal((await listTimeline(context, live, { limit: 1 })).items[0]?.kind, 'suspended')
    // Nothing is left that could be suspended.
    assert.equal((await change(domains, 'free')).plan, 'free')
  })

  test('of many domains lets other transactions pass, and is finished if its process dies', async () => {
    await using database = await open()
    await using domains = await startDomains(database)
    const { context, account } = domains
    const last = await addMany(domains, 5)
    const other = await domains.addCustomer('other')
    let isChanged = false
    const changing = change(domains, 'free', true, 2).then(() => {
      isChanged = true
    })
    await database.write((tx) => renameAccountIn(tx, { accountId: other.account.id, name: 'x', by, at: 1 }))
    // PostgreSQL lets it pass anyway, and may be slow to open a connection for it.
    if (database.dialect === 'sqlite') assert.equal(isChanged, false)
    await changing
    const count = async (...states: DomainRow['state'][]) =>
      (await domainsOfAccount(database.read, account.id)).filter(({ state }) => states.includes(state)).length
    assert.deepEqual([await count('suspended'), await findRoute(context, last, platform)], [5, null])

    let writes = 0
    const dying: Domains['context']['database'] = {
      ...database,
      write: (work) => (++writes > 2 ? Promise.reject(new Error('killed')) : database.write(work)),
    }
    const killed = { ...domains, context: { ...context, database: dying } }
    await assert.rejects(change(killed, 'pro', false, 2), { message: 'killed' })
    assert.deepEqual([await count('suspended'), await count('pending')], [1, 4])
    while (await finishPlanChanges(context, 2));
    assert.equal(await count('pending'), 5)
    const [{ type, data } = assert.fail()] = await domains.events(1)
    assert.deepEqual([type, data], ['domain.resumed', { hostname: last }])
    assert.equal(
      (await listTimeline(context, { account_id: account.id, hostname: last }, { limit: 1 })).items[0]?.by
        .name,
      by.name,
    )

    // What is left of a change follows the plan as it is then.
    writes = 0
    await assert.rejects(change(killed, 'free', true, 2), { message: 'killed' })
    await change(domains, 'pro', false, 2)
    assert.equal(await count('pending'), 5)
    assert.deepEqual(await database.read.selectFrom('unfinished_plan_changes').selectAll().execute(), [])

    // Nothing is left to do for an account that was deleted since.
    writes = 0
    await assert.rejects(change(killed, 'free', true, 2), { message: 'killed' })
    await deleteAccount(context, { account, name: account.name, removeDomains: true, by })
    assert.equal(await finishPlanChanges(context), false)
  })

  test('changes few domains in a transaction', async () => {
    await using database = await open()
    await using domains = await startDomains(database)
    await addMany(domains, 60)
    const suspended: number[] = []
    const watched: typeof database = {
      ...database,
      async write(work) {
        const result = await database.write(work)
        const rows = await domainsOfAccount(database.read, domains.account.id)
        suspended.push(rows.filter(({ state }) => state === 'suspended').length)
        return result
      },
    }
    await change({ ...domains, context: { ...domains.context, database: watched } }, 'free', true)
    assert.deepEqual(suspended, [25, 50, 60])
  })

  test('back checks each domain now, and serves none before its DNS was seen again', async () => {
    await using database = await open()
    await using domains = await startDomains(database)
    const { context, clock } = domains
    const waiting = [
      await domains.add('waiting.com'),
      await domains.prove(await domains.add('www.acme.com')),
      await domains.prove(await domains.add('www.drifted.com'), 'drifted'),
      await domains.prove(await domains.add('www.prepared.com'), 'prepared'),
      await domains.prove(await domains.add('acme.com')),
    ]
    const failed = await domains.prove(await domains.add('failed.com'), 'failed')
    await change(domains, 'free', true)
    clock.at += 100 * 3_600_000

    const heard = await domains.heardDuring(() => change(domains, 'pro'))
    assert.deepEqual(heard, [`access ${domains.account.id}`])
    for (const row of waiting) {
      const { state, state_before, next_check_at, searching_since } = await domains.current(row)
      // Its 48 hours start again, because it was not checked in the meantime.
      assert.deepEqual(
        [state, state_before, next_check_at, searching_since],
        ['pending', null, clock.at, clock.at],
      )
      assert.equal(await findRoute(context, row.hostname, platform), null)
    }
    const { state, next_check_at } = await domains.current(failed)
    assert.deepEqual([state, next_check_at], ['failed', null])
    const types = (await domains.events(6)).map(({ type }) => type)
    assert.deepEqual(types, Array(6).fill('domain.resumed'))
  })

  test('back restarts a domain whose name another account proved in the meantime', async () => {
    await using database = await open()
    await using domains = await startDomains(database)
    const { context, clock } = domains
    const names = ['acme.com', 'www.acme.com']
    const rows = []
    for (const name of names) rows.push(await domains.prove(await domains.add(name)))
    await change(domains, 'free', true)
    for (const row of rows) await domains.lose(row)
    const { project } = await domains.addCustomer('winner')
    for (const name of names) await domains.prove(await domains.add(name, { to: project }))
    clock.at += 1_000
    await change(domains, 'pro')
    for (const row of rows) {
      const { state, held, searching_since } = await domains.current(row)
      assert.deepEqual([state, held, searching_since], ['pending', 0, clock.at])
      assert.deepEqual(await findRoute(context, row.hostname, platform), { kind: 'site', slug: 'winner' })
    }
  })

  test('to a plan with fewer domains keeps existing ones, and allows no more', async () => {
    await using database = await open()
    await using domains = await startDomains(database)
    const { context, account } = domains
    await change(domains, 'business')
    const rows = []
    for (let n = 0; n < 21; n++) rows.push(await domains.add(`n${n}.acme.com`))
    const [first] = rows
    assert.ok(first)
    await domains.prove(first)
    assert.equal((await change(domains, 'pro')).plan, 'pro')
    assert.ok(await findRoute(context, first.hostname, platform))
    const states = (await domainsOfAccount(database.read, account.id)).map(({ state }) => state)
    assert.deepEqual(states.sort(), ['live', ...Array(20).fill('pending')])
    await assert.rejects(domains.add('more.acme.com'), { code: 'domain_limit_reached' })
    const other = await domains.addPublished('other', account.id)
    await domains.add('n1.acme.com', { to: other, move: true })
    await assert.rejects(domains.add('more.acme.com'), { code: 'domain_limit_reached' })
    await domains.add('n2.acme.com', { to: other, move: true })
    await domains.add('more.acme.com')
  })
})
