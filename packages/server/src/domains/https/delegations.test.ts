import assert from 'node:assert/strict'
import { test } from 'node:test'
import { skipWithout } from '@masthead/testing/peers/peers.ts'
import { onEachDatabase, openSqlite } from '../../database/each-database.test-kit.ts'
import type { Dns, NameserverViews } from '../../dns/dns.ts'
import { startChecking } from '../checking.test-kit.ts'
import type { DomainRow } from '../domain.ts'
import { delegationRecord } from '../records.ts'
import { createDelegations, findDelegation } from './delegations.ts'

const skip = skipWithout('knot')
const [plain, wild] = ['acme.test', '*.acme.test']

onEachDatabase('the delegation of challenges', ({ open }) => {
  test('of a domain and its wildcard is one record, to the label of either, in one account', {
    skip,
  }, async () => {
    await using database = await open()
    await using checking = await startChecking(database, { 'acme.test': '' })
    const { naming } = checking.context
    const hold = (id: DomainRow['id'], hostname: string) =>
      database.write((tx) =>
        tx
          .updateTable('domains')
          .set({ hostname, held: 1, state: 'verified' })
          .where('id', '=', id)
          .execute(),
      )
    const owner = await checking.addTenant('owner')
    const rival = await checking.addTenant('rival')
    const apex = await owner.add(plain)
    const star = await owner.add('star.acme.test')
    const other = await rival.add('other.acme.test')
    await hold(apex.id, plain)
    await hold(star.id, wild)
    const { find } = createDelegations(checking.context, { ...naming, challengeDns: true })
    const labels = async () => [(await find(plain))?.label, (await find(wild))?.label]
    const delegateTo = (target: string) => {
      const { fqdn, value } = delegationRecord({ hostname: wild, target }, naming)
      return checking.nameserver.setZone('acme.test', `${fqdn}. 60 CNAME ${value}.`)
    }

    assert.deepEqual(await labels(), [null, null])
    assert.equal((await find(wild))?.record?.fqdn, '_acme-challenge.acme.test')
    assert.deepEqual([(await find(plain))?.isOnlyWay, (await find(wild))?.isOnlyWay], [false, true])
    await delegateTo(apex.target)
    assert.deepEqual(await labels(), [apex.target, apex.target])
    await delegateTo(star.target)
    assert.deepEqual(await labels(), [star.target, star.target])
    await delegateTo(other.target)
    assert.deepEqual(await labels(), [null, null])
    // Another account's wildcard is no twin.
    await database.write((tx) => tx.deleteFrom('domains').where('id', '=', star.id).execute())
    await hold(other.id, wild)
    assert.deepEqual(await labels(), [null, other.target])
  })
})

test('a delegation is unclear if nameservers take longer for it than a check may, and they are asked no more', async (t) => {
  await using database = await openSqlite()
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const signals: (AbortSignal | undefined)[] = []
  const asked = Promise.withResolvers<void>()
  const txt = { name: '_acme-challenge.acme.test', type: 'TXT', value: 'old', ttl: 60 }
  const answers = { TXT: { answers: [txt] } }
  const answered = { servers: [{ outcome: 'answered', answers }] } as unknown as NameserverViews
  const dns: Pick<Dns, 'askNameservers'> = {
    async askNameservers(_name, _types, { signal } = {}) {
      signals.push(signal)
      if (signals.length === 1) return answered
      asked.resolve()
      return new Promise((_, reject) => {
        signal?.addEventListener('abort', () => reject(signal.reason))
      })
    },
  }
  const row = { account_id: 'acc_1', hostname: plain, target: 'label' } as const
  const looking = findDelegation({ database, dns }, row, { platformDomain: 'masthead.test' })
  await asked.promise
  t.mock.timers.tick(12_000)
  assert.deepEqual(await looking, { outcome: 'unclear', seen: [], label: null })
  assert.equal(signals.at(-1)?.aborted, true)
  assert.equal(signals.length, 2)
})
