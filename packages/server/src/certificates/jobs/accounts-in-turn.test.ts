import assert from 'node:assert/strict'
import { test } from 'node:test'
import { skipWithout } from '@masthead/testing/peers/peers.ts'
import { onEachDatabase } from '../../database/each-database.test-kit.ts'
import { openChangeFeed } from '../../events/change-feed.ts'
import { FairSemaphore } from '../../kernel/fair-queue.ts'
import type { Fetch } from '../acme/exchange.ts'
import { type Node, startPebbleCa } from '../issuing.test-kit.ts'
import { renewDue } from '../renew.ts'
import { claimDueJobs } from './job-lease-store.ts'
import { nextJobAt } from './job-store.ts'
import { requestCertificate } from './request-certificate.ts'

const skip = skipWithout('pebble')
const now = Date.UTC(2030, 0, 1)
const silent = { warn: () => {} }

const namesOf = (domain: string, count: number) =>
  Array.from({ length: count }, (_, index) => `n${index}.${domain}`)

/** A CA that never finishes the orders of names below `slow.test`, and issues all others. */
function neverFinishing() {
  const stuck = new Set<string>()
  const fetch =
    (real: Fetch): Fetch =>
    async (url, init) => {
      const { payload, protected: header } = JSON.parse(String(init.body ?? '{"payload":""}'))
      const body = payload ? JSON.parse(Buffer.from(payload, 'base64url').toString()) : {}
      const ordered: string | undefined = body.identifiers?.[0]?.value
      if (ordered?.endsWith('.slow.test')) stuck.add(ordered)
      const order = ordered ?? new URL(url).pathname.replace('/stuck/', '')
      if (header === undefined || !stuck.has(order)) return real(url, init)
      const location = new URL(`/stuck/${order}`, url).href
      const identifiers = [{ type: 'dns', value: order }]
      const answer = { status: 'processing', identifiers, authorizations: [], finalize: location }
      return Response.json(answer, { status: ordered === undefined ? 200 : 201, headers: { location } })
    }
  return { fetch, stuck }
}

function requestFor({ context }: Node, account: string, names: readonly string[]) {
  const at = context.now()
  return context.database.write(async (tx) => {
    for (const name of names) {
      await requestCertificate(context, tx, {
        name,
        reason: 'first',
        at,
        account: { id: account, isPaying: true },
      })
    }
  })
}

onEachDatabase('while the CA never finishes what one account ordered', ({ open }) => {
  test("another account's first certificate is issued", { skip }, async () => {
    await using ca = await startPebbleCa()
    await using database = await open()
    const { fetch, stuck } = neverFinishing()
    await using node = await ca.startWorking(database, { fetch }, { concurrency: 4 })
    await requestFor(node, 'acc_slow', namesOf('slow.test', 20))
    await node.until(() => stuck.size > 0)
    await requestFor(node, 'acc_other', ['www.other.test'])
    await node.untilValid('www.other.test')
  })

  test("another account's first certificate is issued also if they are renewals", { skip }, async () => {
    await using ca = await startPebbleCa()
    await using database = await open()
    const names = namesOf('slow.test', 8)
    {
      await using node = await ca.startWorking(database)
      await node.request(...names)
      await node.untilValid(...names)
    }
    await database.write((tx) => tx.updateTable('certificates').set({ renew_at: 0, check_at: 0 }).execute())
    const { fetch, stuck } = neverFinishing()
    await using node = await ca.startWorking(database, { fetch }, { concurrency: 4 })
    await renewDue(node.context, silent, async (name) => (name.endsWith('.slow.test') ? 'acc_slow' : null))
    await node.until(() => stuck.size > 0)
    await requestFor(node, 'acc_other', ['www.other.test'])
    await node.untilValid('www.other.test')
  })
})

onEachDatabase('jobs are claimed', ({ open }) => {
  test('within the share of each account, and behind those of one account are those of others', async () => {
    await using database = await open()
    const changes = await openChangeFeed({ database, now: () => now }, silent, { pollEvery: null })
    const request = (account: string | null, names: readonly string[], at: number) =>
      database.write(async (tx) => {
        const owner = account === null ? null : { id: account, isPaying: true }
        for (const name of names) {
          await requestCertificate({ changes }, tx, { name, reason: 'first', at, account: owner })
        }
      })
    await request('acc_one', namesOf('one.test', 100), now - 3)
    await request('acc_two', namesOf('two.test', 100), now - 2)
    await request('acc_new', ['new.test'], now - 1)
    const slots = new FairSemaphore(50)
    const claim = async (owner: string) => {
      const claimed = await claimDueJobs(database, { owner, now, slots })
      const counts = Map.groupBy(claimed, ({ row }) => row.account_id)
      return Object.fromEntries([...counts].map(([account, jobs]) => [account, jobs.length]))
    }
    assert.deepEqual(await claim('first'), { acc_one: 10, acc_two: 8, acc_new: 1 })
    assert.deepEqual(await claim('second'), {})
    assert.equal(await nextJobAt(database.read, now, slots.saturated), null)
    // Two end. Another one starts, because the share is smaller by now.
    slots.release('acc_one')
    slots.release('acc_one')
    assert.deepEqual(await claim('third'), { acc_one: 1 })
    // The operator's own names wait for no account.
    await request(null, namesOf('platform.test', 100), now)
    assert.deepEqual(await claim('fourth'), { null: 32 })
    assert.ok(slots.isFull)
    changes.close()
  })
})
