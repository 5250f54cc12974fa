import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { openSqlite } from '../../database/each-database.test-kit.ts'
import { hour } from '../../kernel/clock.ts'
import { by, naming, startCheckingAt, type Tenant } from '../checking.test-kit.ts'
import { type DomainRow, isServing } from '../domain.ts'
import { findDomainOfAccount, updateDomain } from '../store.ts'
import { startZoneModel, type ZoneModel } from '../zone-model.test-kit.ts'
import { changePlanOf } from './change-plan.ts'

const apex = 'acme.test'
const names = [apex, 'www.acme.test', 'www.lent.acme.test'] as const
const who = fc.constantFrom(0 as const, 1 as const)
/** Mostly the apex, the subject of this test. */
const which = fc.constantFrom(apex, apex, apex, ...names)

const action = <Do extends string>(name: Do) => fc.constant(name)
const step = fc.oneof(
  { weight: 2, arbitrary: fc.record({ do: action('add'), who, which }) },
  { weight: 1, arbitrary: fc.record({ do: action('remove'), who, which }) },
  { weight: 9, arbitrary: fc.record({ do: action('verify'), who, which }) },
  { weight: 6, arbitrary: fc.record({ do: action('publish token'), who }) },
  { weight: 1, arbitrary: fc.record({ do: action('drop tokens') }) },
  { weight: 4, arbitrary: fc.record({ do: action('point alias'), who, which: fc.constantFrom(...names) }) },
  { weight: 1, arbitrary: fc.record({ do: action('point apex'), here: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ do: action('change plan'), who, paid: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ do: action('wait'), hours: fc.integer({ min: 1, max: 900 }) }) },
)
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never

/** The state before and after a step. */
interface Seen {
  rows: (DomainRow | undefined)[]
  www: (DomainRow | undefined)[]
}

describe('two accounts and one zone', () => {
  test('in any order of events, an apex is only served and only lost by proof', {
    timeout: 300_000,
  }, async () => {
    let takeovers = 0
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 20, maxLength: 40, size: 'max' }),
        fc.boolean(),
        async (steps, isOld) => {
          takeovers += await walk(steps, isOld)
        },
      ),
      { numRuns: 30 },
    )
    assert.ok(takeovers > 0, 'The walks led nowhere')
  })
})

async function walk(steps: readonly Step[], isOld: boolean): Promise<number> {
  await using database = await openSqlite()
  const zone: ZoneModel = { addresses: [here], texts: new Set(), aliases: new Map() }
  await using nameserver = await startZoneModel(zone)
  await using checking = await startCheckingAt(database, nameserver)
  const tenants = [await checking.addTenant('ann'), await checking.addTenant('ben')] as const
  const rowOf = ({ account }: Tenant, name: string) => findDomainOfAccount(database.read, account.id, name)
  const look = async (): Promise<Seen> => ({
    rows: await Promise.all(tenants.map((tenant) => rowOf(tenant, apex))),
    www: await Promise.all(tenants.map((tenant) => rowOf(tenant, 'www.acme.test'))),
  })
  if (isOld) {
    const { id } = await tenants[0].add(apex)
    await database.write((tx) => updateDomain(tx, id, { state: 'live', held: 1 }))
  }
  for (const tenant of tenants) for (const name of names) await tenant.add(name).catch(expected)
  let takeovers = 0
  /** Tokens that were shown before the current holder got the name. */
  let spent = new Set<string>()
  for (const one of steps) {
    const before = await look()
    await take(one)
    const after = await look()
    holds(one, before, after)
  }
  return takeovers

  async function take(one: Step): Promise<void> {
    const tenant = 'who' in one ? tenants[one.who] : tenants[0]
    const { clock, context } = checking
    if (one.do === 'wait') clock.at += one.hours * hour
    else clock.at += 1_000
    if (one.do === 'point apex') zone.addresses = [one.here ? here : '203.0.113.9']
    if (one.do === 'drop tokens') zone.texts.clear()
    if (one.do === 'publish token') {
      const row = await rowOf(tenant, apex)
      if (row !== undefined) zone.texts.add(row.challenge)
    }
    if (one.do === 'point alias') {
      const row = await rowOf(tenant, one.which)
      if (row?.kind === 'subdomain')
        zone.aliases.set(one.which, `${row.target}.cname.${naming.platformDomain}`)
    }
    if (one.do === 'change plan') {
      const change = { accountId: tenant.account.id, suspendDomains: true, asOperator: true, by }
      await changePlanOf(context, { ...change, plan: one.paid ? 'pro' : 'free' })
    }
    // A rejected step changes nothing, which is all that matters here.
    if (one.do === 'add') await tenant.add(one.which).catch(expected)
    if (one.do === 'remove') await tenant.remove(one.which).catch(expected)
    if (one.do === 'verify') await tenant.verify(one.which).catch(expected)
  }

  function holds(one: Step, before: Seen, after: Seen): void {
    const told = JSON.stringify(one)
    assert.ok(after.rows.filter((row) => row?.held === 1).length <= 1, told)
    for (const index of [0, 1] as const) {
      const [was, is] = [before.rows[index], after.rows[index]]
      const [rival, rivalNow] = [before.rows[1 - index], after.rows[1 - index]]
      const becameServed = is !== undefined && isServing(is) && !(was !== undefined && isServing(was))
      if (becameServed) {
        const byToken = zone.texts.has(is.challenge)
        const www = after.www[index]
        const byName =
          www !== undefined && zone.aliases.get(www.hostname)?.startsWith(`${www.target}.`) === true
        assert.ok(zone.addresses.includes(here), `${told}: it does not point here`)
        assert.ok(byToken || byName, `${told}: served without a proof`)
        const took = rival !== undefined && isServing(rival)
        if (took && rival.proof !== null) {
          assert.ok(byToken, `${told}: taken from a proved holder by another name`)
          assert.ok(!spent.has(is.challenge), `${told}: taken by a token from before`)
        }
        if (took) takeovers++
        if (is.held === 1 && was?.held !== 1) spent = tokensOf(before)
      }
      const lost = was !== undefined && isServing(was) && !(is !== undefined && isServing(is))
      if (!lost || ('who' in one && one.who === index)) continue
      assert.ok(rivalNow !== undefined && isServing(rivalNow), `${told}: lost to nobody`)
    }
    // A claim does not affect the account that is served.
    if (one.do !== 'add') return
    const other = 1 - one.who
    assert.deepEqual(after.rows[other], before.rows[other], told)
  }

  function tokensOf({ rows }: Seen): Set<string> {
    return new Set([...spent, ...rows.flatMap((row) => row?.challenge ?? [])])
  }
}

const here = '192.0.2.10'
const refusals = [
  'plan_required',
  'domain_exists',
  'domain_on_other_project',
  'not_found',
  'domain_suspended',
  'domain_limit_reached',
]

function expected(error: unknown): void {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (!refusals.includes(code)) throw error
}
