import assert from 'node:assert/strict'
import { test } from 'node:test'
import { skipWithout } from '@masthead/testing/peers/peers.ts'
import { onEachDatabase } from '../../database/each-database.test-kit.ts'
import { by, cname, outcome, provedApex, startChecking } from '../checking.test-kit.ts'
import { changePlanOf } from '../claims/change-plan.ts'
import type { DomainContext } from '../context.ts'
import type { DomainRow } from '../domain.ts'
import { proveDomain } from '../proofs/proof-row.test-kit.ts'
import { delegationRecord } from '../records.ts'

const skip = skipWithout('knot')
const name = 'www.acme.test'
const elsewhere = 'www 60 A 192.0.2.99'

onEachDatabase('a delegation of certificate challenges', ({ open }) => {
  test('prepares the claim whose label it has, and no other', { skip }, async () => {
    await using database = await open()
    await using checking = await startChecking(database, { 'acme.test': elsewhere })
    const using: DomainContext = {
      ...checking.context,
      naming: { ...checking.context.naming, challengeDns: true },
    }
    const delegation = (row: DomainRow) => {
      const { fqdn, value } = delegationRecord(row, using.naming)
      return `${fqdn}. 60 CNAME ${value.toUpperCase()}.`
    }
    const set = (...lines: string[]) => checking.nameserver.setZone('acme.test', lines.join('\n'))
    const owner = await checking.addTenant('owner')
    const rival = await checking.addTenant('rival')
    const check = async (tenant: typeof owner, hostname = name) =>
      outcome(await tenant.verify(hostname, using))
    const own = await owner.add(name)
    const other = await rival.add(name)

    await set(elsewhere, delegation(own))
    assert.deepEqual(await check(rival), ['pending', 0])
    assert.equal(await checking.servedAt(name), null)
    assert.deepEqual(await check(owner), ['prepared', 1])
    assert.equal(await checking.servedAt(name), 'owner')
    const jobs = await database.read.selectFrom('certificate_jobs').select(['name', 'account_id']).execute()
    assert.deepEqual(
      jobs.map((job) => ({ ...job })),
      [{ name, account_id: owner.account.id }],
    )
    // Without a nameserver of ours the record means nothing.
    assert.deepEqual(outcome(await rival.verify(name)), ['pending', 0])

    // A delegation does not take a name that is held; a record that leads here does.
    await set(elsewhere, delegation(other))
    assert.deepEqual(await check(rival), ['pending', 0])
    assert.equal(await checking.servedAt(name), 'owner')
    await set(cname(other), delegation(own))
    assert.deepEqual(await check(rival), ['verified', 1])
    assert.deepEqual(outcome(await owner.row(name)), ['failed', 0])
    assert.equal(await checking.servedAt(name), 'rival')

    // Gone: no longer served, and the claim waits for DNS like any other.
    const second = await owner.add('shop.acme.test')
    await set(cname(other), delegation(second))
    assert.deepEqual(await check(owner, 'shop.acme.test'), ['prepared', 1])
    await set(cname(other))
    assert.deepEqual(await check(owner, 'shop.acme.test'), ['pending', 1])
    assert.equal(await checking.servedAt('shop.acme.test'), null)
    await set(cname(other), cname(second, 'shop'), delegation(second))
    assert.deepEqual(await check(owner, 'shop.acme.test'), ['verified', 1])

    // An apex is proved by it, and keeps the proof when its addresses lead here.
    const apex = await owner.add('acme.test')
    await set('@ 60 A 192.0.2.99', delegation(apex))
    assert.deepEqual(await check(owner, 'acme.test'), ['prepared', 1])
    await set('@ 60 A 192.0.2.10', delegation(apex))
    assert.deepEqual(await check(owner, 'acme.test'), ['verified', 1])
    assert.equal((await owner.row('acme.test')).proof, 'delegation')
    const claimed = await rival.add('acme.test')
    await set(provedApex(claimed), delegation(apex))
    assert.deepEqual(await check(rival, 'acme.test'), ['verified', 1])

    // Nobody prepares a name below a domain that another account has proved.
    await proveDomain(database, rival.account.id, 'acme.test')
    const late = await owner.row('shop.acme.test')
    await database.write((tx) =>
      tx.updateTable('domains').set({ state: 'pending', held: 0 }).where('id', '=', late.id).execute(),
    )
    await set(delegation(late))
    assert.deepEqual(await check(owner, 'shop.acme.test'), ['pending', 0])
  })

  test('takes a name from a holder that is no longer served', { skip }, async () => {
    await using database = await open()
    await using checking = await startChecking(database, { 'acme.test': elsewhere })
    const { context, nameserver } = checking
    const using: DomainContext = { ...context, naming: { ...context.naming, challengeDns: true } }
    const [former, owner] = [await checking.addTenant('former'), await checking.addTenant('owner')]
    await nameserver.setZone('acme.test', cname(await former.add(name)))
    assert.deepEqual(outcome(await former.verify(name, using)), ['verified', 1])
    const own = await owner.add(name)
    const delegation = `_acme-challenge.www 60 CNAME ${delegationRecord(own, using.naming).value}.`
    await nameserver.setZone('acme.test', [elsewhere, delegation].join('\n'))
    assert.deepEqual(outcome(await owner.verify(name, using)), ['pending', 0])
    assert.equal(await checking.servedAt(name), 'former')

    const accountId = former.account.id
    await changePlanOf(context, { accountId, plan: 'free', suspendDomains: true, by, asOperator: true })
    assert.deepEqual(outcome(await owner.verify(name, using)), ['prepared', 1])
    assert.equal(await checking.servedAt(name), 'owner')
    assert.deepEqual(outcome(await former.row(name)), ['suspended', 0])
  })
})
