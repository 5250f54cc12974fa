import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onEachDatabase } from '../../database/each-database.test-kit.ts'
import { Problem } from '../../kernel/problem.ts'
import { by, startDomains } from '../domains.test-kit.ts'
import { countDomains } from '../store.ts'
import { listTimeline } from '../timeline/timeline.ts'
import { changePlanOf } from './change-plan.ts'
import { removeDomain } from './remove-domain.ts'

const refusal =
  (code: string, extra: Record<string, unknown> = {}) =>
  (error: unknown) => {
    assert.ok(error instanceof Problem)
    assert.deepEqual({ code: error.code, extra: error.extra }, { code, extra })
    return true
  }
const upgradeUrlOf = (accountId: string) => `http://localhost:8080/accounts/${accountId}/plan`

onEachDatabase('adding a domain', ({ open }) => {
  test('it waits for its DNS record, is checked within seconds, and is announced', async () => {
    await using database = await open()
    await using domains = await startDomains(database)
    const { context, clock } = domains
    const heard = await domains.heardDuring(() => domains.add('https://WWW.Acme.com/'))
    assert.deepEqual(heard, ['domain www.acme.com'])
    const row = await domains.add('acme.com')
    assert.match(row.target, /^[a-z2-9]{10}$/)
    assert.deepEqual(
      { state: row.state, kind: row.kind, held: row.held, since: row.searching_since },
      { state: 'pending', kind: 'apex', held: 0, since: clock.at },
    )
    assert.ok(row.next_check_at !== null && row.next_check_at <= clock.at + 10_000)
    assert.deepEqual(await domains.events(1), [{ type: 'domain.added', data: { hostname: 'acme.com' } }])
    const { items } = await listTimeline(context, row, { limit: 10 })
    assert.deepEqual(
      items.map(({ kind, by: { name } }) => [kind, name]),
      [['added', by.name]],
    )
  })

  test('a plan without custom domains is the first error', async () => {
    await using database = await open()
    await using domains = await startDomains(database)
    const { account, project } = await domains.addCustomer('small', 'free')
    const upgradeUrl = upgradeUrlOf(account.id)
    await assert.rejects(
      domains.add('not a name', { to: project }),
      refusal('plan_required', { plan: 'free', requiredPlan: 'pro', upgradeUrl }),
    )
  })

  test('a project without a deployment gets no domain', async () => {
    await using database = await open()
    await using domains = await startDomains(database)
    const empty = await domains.addUnpublished('empty', domains.account.id)
    await assert.rejects(domains.add('acme.com', { to: empty }), refusal('deployment_required'))
  })

  test('the same name in another spelling already exists', async () => {
    await using database = await open()
    await using domains = await startDomains(database)
    await domains.add('bücher.example')
    await assert.rejects(domains.add('XN--BCHER-KVA.example.'), refusal('domain_exists'))
  })

  test('of concurrent additions exactly as many succeed as the plan allows', async () => {
    await using database = await open()
    await using domains = await startDomains(database)
    const { context, account, project } = domains
    const upgradeUrl = upgradeUrlOf(account.id)
    const names = Array.from({ length: 24 }, (_, index) => `n${index}.acme.com`)
    const results = await Promise.allSettled(names.map((name) => domains.add(name)))
    assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 20)
    assert.equal(await countDomains(context.database.read, project.id), 20)
    const limit = refusal('domain_limit_reached', { limit: 20, plan: 'pro', upgradeUrl })
    await assert.rejects(domains.add('one.more.com'), limit)
    const added = names.find((_, index) => results[index]?.status === 'fulfilled') ?? ''
    await assert.rejects(domains.add(added), refusal('domain_exists'))
  })

  test('an account gets as many as its custom limit allows, and any number without one', async () => {
    await using database = await open()
    await using domains = await startDomains(database)
    const { context, account } = domains
    const agree = (domainsPerProject?: number) => {
      const limits = {
        perMinute: 1,
        perDay: 1,
        ...(domainsPerProject === undefined ? {} : { domainsPerProject }),
      }
      const change = { accountId: account.id, plan: 'enterprise' as const, limits, by }
      return changePlanOf(context, { ...change, suspendDomains: true, asOperator: true })
    }
    const upgradeUrl = upgradeUrlOf(account.id)
    await agree(2)
    for (const name of ['a.acme.com', 'b.acme.com']) await domains.add(name)
    const limit = refusal('domain_limit_reached', { limit: 2, plan: 'enterprise', upgradeUrl })
    await assert.rejects(domains.add('c.acme.com'), limit)
    await agree(3)
    await domains.add('c.acme.com')
    await agree(1)
    await assert.rejects(domains.add('d.acme.com'), { code: 'domain_limit_reached' })
    assert.equal(await countDomains(context.database.read, domains.project.id), 3)
    await agree()
    await domains.add('d.acme.com')
  })

  test('a domain that is added during a downgrade is rejected or suspended, never kept', async () => {
    await using database = await open()
    await using domains = await startDomains(database)
    const { context, account } = domains
    const upgradeUrl = upgradeUrlOf(account.id)
    const change = { accountId: account.id, plan: 'free' as const, suspendDomains: true, by }
    const [added] = await Promise.allSettled([domains.add('acme.com'), changePlanOf(context, change)])
    if (added.status === 'fulfilled') assert.equal((await domains.current(added.value)).state, 'suspended')
    else assert.ok(refusal('plan_required', { plan: 'free', requiredPlan: 'pro', upgradeUrl })(added.reason))
  })

  test('an account that removed a name gets the same records again, a stranger gets others', async () => {
    await using database = await open()
    await using domains = await startDomains(database)
    const { context, project } = domains
    const first = await domains.add('www.acme.com')
    await removeDomain(context, { project, hostname: 'www.acme.com', by })
    const { project: foreign } = await domains.addCustomer('stranger')
    const stranger = await domains.add('www.acme.com', { to: foreign })
    const again = await domains.add('www.acme.com')
    assert.equal(again.target, first.target)
    assert.notEqual(stranger.target, first.target)
    // A token belongs to one claim: a leftover value in DNS does not prove a later one.
    assert.equal(new Set([first, again, stranger].map(({ challenge }) => challenge)).size, 3)
  })
})
