import assert from 'node:assert/strict'
import { test } from 'node:test'
import { skipWithout } from '@masthead/testing/peers/peers.ts'
import { until } from '@masthead/testing/until.ts'
import { onEachDatabase } from '../database/each-database.test-kit.ts'
import type { Dns } from '../dns/dns.ts'
import { hour } from '../kernel/clock.ts'
import { by, log, startChecking } from './checking.test-kit.ts'
import { runDueWork } from './due-work.ts'
import { reconcileDue } from './lifecycle.ts'
import { recheckProofs } from './proofs/recheck-proofs.ts'
import { startProof } from './proofs/start-proof.ts'
import { findProof } from './proofs/store.ts'

const skip = skipWithout('knot')

/** DNS without an answer for names with `silent` in them, until the test lets a name have one. */
function silence(dns: Dns) {
  const held = new Map<string, PromiseWithResolvers<void>>()
  async function hold(name: string, signal?: AbortSignal): Promise<void> {
    if (!name.includes('silent')) return
    const answered = held.get(name) ?? Promise.withResolvers<void>()
    held.set(name, answered)
    const aborted = Promise.withResolvers<never>()
    signal?.throwIfAborted()
    signal?.addEventListener('abort', () => aborted.reject(signal.reason), { once: true })
    await Promise.race([answered.promise, aborted.promise])
  }
  return {
    held,
    dns: {
      ...dns,
      async findZone(name, options) {
        await hold(name, options?.signal)
        return dns.findZone(name, options)
      },
      async askNameservers(name, types, options) {
        await hold(name, options?.signal)
        return dns.askNameservers(name, types, options)
      },
    } satisfies Dns,
  }
}

test('an account that waits for its slots is not asked for again, nor what was already due', async () => {
  const [slow, other] = ['acc_slow', 'acc_other'] as const
  const asked: string[] = []
  const left = { [slow]: 1_000, [other]: 20 }
  let at = 1_000
  const stopping = new AbortController()
  const silent = new Promise<void>((resolve) => stopping.signal.addEventListener('abort', () => resolve()))
  const round = runDueWork<keyof typeof left>({
    now: () => at++,
    accounts: async ({ since }) => (since === 0 ? [slow, other] : []),
    async lease(account) {
      const name = account as keyof typeof left
      asked.push(name)
      return left[name]-- > 0 ? name : null
    },
    run: (account) => (account === slow ? silent : Promise.resolve()),
    stopping: stopping.signal,
  })
  await until(() => left[other] < 0)
  const asksOf = (name: string) => asked.filter((each) => each === name).length
  assert.equal(asksOf(slow), 1_000 - left[slow])
  assert.ok(asksOf(slow) <= 8, String(asksOf(slow)))
  stopping.abort()
  await round
})

test('what is stored a moment after it was due is found while a slow check runs', async () => {
  const [slow, late] = ['acc_slow', 'acc_late'] as const
  const due = new Map<string, number>([[slow, 1_000]])
  let reads = 0
  let at = 2_000
  const checked = Promise.withResolvers<void>()
  await runDueWork<string>({
    now: () => at++,
    accounts: async ({ since }) => {
      const found = [slow, late].filter((account) => (due.get(account) ?? -1) >= since)
      // Its transaction began before the first read and ends after it.
      if (++reads === 1) due.set(late, 1_990)
      return found
    },
    lease: async (account) => (due.delete(account) ? account : null),
    run: async (account) => (account === slow ? checked.promise : checked.resolve()),
  })
})

onEachDatabase('domains of an account with silent nameservers', ({ open }) => {
  test('do not delay the first check of another account, however many there are', { skip }, async () => {
    await using database = await open()
    await using checking = await startChecking(database, { 'acme.test': '' })
    const slow = await checking.addTenant('slow')
    const names = Array.from({ length: 40 }, (_, n) => `silent-${n}.acme.test`)
    for (const name of names) await slow.add(name)
    checking.clock.at += hour
    const other = await checking.addTenant('other')
    checking.clock.at = (await other.add('www.acme.test')).next_check_at ?? 0
    const { dns } = silence(checking.context.dns)
    const stopping = new AbortController()
    const round = reconcileDue(
      { ...checking.context, dns },
      { owner: 'worker', log, stopping: stopping.signal },
    )
    await until(async () => (await other.row('www.acme.test')).last_check !== null)
    for (const name of names) assert.equal((await slow.row(name)).last_check, null)
    stopping.abort()
    await round
  })

  test('delay it by one of their checks where such accounts have all slots', { skip }, async () => {
    await using database = await open()
    await using checking = await startChecking(database, { 'acme.test': '' })
    for (const slug of ['one', 'two']) {
      const slow = await checking.addTenant(slug)
      for (const n of [1, 2, 3]) await slow.add(`silent-${slug}-${n}.acme.test`)
    }
    checking.clock.at += hour
    const other = await checking.addTenant('other')
    checking.clock.at = (await other.add('www.acme.test')).next_check_at ?? 0
    const { dns, held } = silence(checking.context.dns)
    const stopping = new AbortController()
    const round = reconcileDue(
      { ...checking.context, dns },
      { owner: 'worker', log, concurrency: 2, stopping: stopping.signal },
    )
    await until(() => held.size === 2)
    assert.equal((await other.row('www.acme.test')).last_check, null)
    const [first] = held.values()
    first?.resolve()
    await until(async () => (await other.row('www.acme.test')).last_check !== null)
    const checked = database.read.selectFrom('domains').select('id').where('last_check', 'is not', null)
    assert.equal((await checked.execute()).length, 2)
    stopping.abort()
    await round
  })

  test('neither do proofs of such domains', { skip }, async () => {
    await using database = await open()
    await using checking = await startChecking(database, { 'acme.test': '' })
    const slow = await checking.addTenant('slow')
    const prove = (accountId: typeof slow.account.id, domain: string) =>
      startProof(checking.context, { accountId, domain, by })
    for (let n = 0; n < 40; n++) await prove(slow.account.id, `silent-${n}.test`)
    checking.clock.at += hour
    const other = await checking.addTenant('other')
    await prove(other.account.id, 'acme.test')
    checking.clock.at += hour
    const { dns } = silence(checking.context.dns)
    const stopping = new AbortController()
    const round = recheckProofs({ ...checking.context, dns }, { log, signal: stopping.signal })
    await until(
      async () => (await findProof(database.read, other.account.id, 'acme.test'))?.last_check !== null,
    )
    assert.equal((await findProof(database.read, slow.account.id, 'silent-0.test'))?.last_check, null)
    stopping.abort()
    await round
  })
})
