import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Database } from '../../database/database.ts'
import { onEachDatabase } from '../../database/each-database.test-kit.ts'
import { openChangeFeed } from '../../events/change-feed.ts'
import { second } from '../../kernel/clock.ts'
import { FairSemaphore } from '../../kernel/fair-queue.ts'
import { isCertificatePending } from '../read.ts'
import { isRequestedAgain, jobPriorities, LeaseLostError } from './job.ts'
import {
  claimDueJobs,
  endAllLeases,
  extendLeases,
  finishJob,
  recordProgress,
  releaseJob,
} from './job-lease-store.ts'
import { deleteJob, findJob, nextJobAt } from './job-store.ts'
import { requestCertificate } from './request-certificate.ts'

const now = Date.UTC(2030, 0, 1)
const name = 'www.acme.test'

async function request(
  database: Database,
  names: readonly string[],
  reason: 'first' | 'asked' | 'renewal' = 'first',
) {
  const changes = await openChangeFeed({ database, now: () => now }, { warn: () => {} }, { pollEvery: null })
  await database.write(async (tx) => {
    for (const one of names) await requestCertificate({ changes }, tx, { name: one, reason, at: now })
  })
  changes.close()
}

const claim = (database: Database, owner: string, at = now, most = 10) =>
  claimDueJobs(database, { owner, now: at, slots: new FairSemaphore(most) })

onEachDatabase('jobs', ({ open }) => {
  test('count as pending while they run or are about to, and not after a failure', async () => {
    await using database = await open()
    const isPending = (at: number) => isCertificatePending({ database, now: () => at }, name)
    assert.equal(await isPending(now), false)
    await request(database, [name])
    assert.equal(await isPending(now), true)
    const [job] = await claim(database, 'one')
    assert.ok(job)
    assert.equal(await isPending(now + second), true)
    await database.write((tx) => releaseJob(tx, job, { next_attempt_at: now + 60 * second }))
    assert.equal(await isPending(now + second), false)
    assert.equal(await isPending(now + 59 * second), true)
  })

  test('are claimed once, however many workers claim at the same moment', async () => {
    await using database = await open()
    const names = Array.from({ length: 60 }, (_, index) => `n${index}.test`)
    await request(database, names)
    const claimed = await Promise.all(
      Array.from({ length: 12 }, (_, index) => claim(database, `w${index}`, now, 7)),
    )
    let all = claimed.flat().map(({ row }) => row.name)
    assert.equal(new Set(all).size, all.length)
    while (all.length < names.length) {
      const more = await claim(database, 'last', now, 7)
      assert.ok(more.length > 0)
      all = [...all, ...more.map(({ row }) => row.name)]
    }
    assert.deepEqual(all.toSorted(), names.toSorted())
    assert.deepEqual(await claim(database, 'nobody'), [])
  })

  test('stay with a live process and go to another 30 seconds after its last heartbeat', async () => {
    await using database = await open()
    await request(database, [name])
    const held = await claim(database, 'one')
    await extendLeases(database, held, now + 20 * second)
    assert.deepEqual(await claim(database, 'two', now + 49 * second), [])
    assert.equal((await claim(database, 'two', now + 50 * second)).length, 1)
  })

  test('whose lease was lost can no longer be extended, changed or finished', async () => {
    await using database = await open()
    await request(database, [name])
    const [lost] = await claim(database, 'one')
    const [held] = await claim(database, 'two', now + 31 * second)
    assert.ok(lost && held)
    await extendLeases(database, [lost], now + 60 * second)
    assert.equal((await findJob(database.read, name))?.lease_until, now + 61 * second)
    for (const act of [
      (tx: Parameters<typeof recordProgress>[0]) => recordProgress(tx, lost, { order_url: 'x' }),
      (tx: Parameters<typeof recordProgress>[0]) => releaseJob(tx, lost, { next_attempt_at: now }),
      (tx: Parameters<typeof recordProgress>[0]) => finishJob(tx, lost),
    ]) {
      await assert.rejects(database.write(act), LeaseLostError)
    }
    await database.write((tx) => finishJob(tx, held))
    assert.equal(await findJob(database.read, name), undefined)
  })

  test('that are released become due at their next attempt, and never without one', async () => {
    await using database = await open()
    await request(database, ['later.test', 'never.test'])
    for (const job of await claim(database, 'one')) {
      const next_attempt_at = job.row.name === 'later.test' ? now + 5 * second : null
      await database.write((tx) => releaseJob(tx, job, { next_attempt_at }))
    }
    assert.equal(await nextJobAt(database.read, now), now + 5 * second)
    assert.deepEqual(await claim(database, 'one', now + 4 * second), [])
    const due = await claim(database, 'one', now + 5 * second)
    assert.deepEqual(
      due.map(({ row }) => row.name),
      ['later.test'],
    )
  })

  test('that are requested again are due immediately and keep their order; a renewal changes nothing', async () => {
    await using database = await open()
    await request(database, [name])
    const [job] = await claim(database, 'one')
    assert.ok(job)
    const change = { next_attempt_at: null, order_url: 'https://ca.example/1', rung: 4, attempts: 4 }
    await database.write((tx) => releaseJob(tx, job, change))
    await request(database, [name], 'renewal')
    assert.equal((await findJob(database.read, name))?.next_attempt_at, null)
    await request(database, [name], 'asked')
    const again = await findJob(database.read, name)
    assert.equal(again?.next_attempt_at, now)
    assert.deepEqual([again?.rung, again?.attempts, again?.order_url], [0, 4, 'https://ca.example/1'])
  })

  test('of a renewal stay renewals when requested again, and others become renewals', async () => {
    await using database = await open()
    const reason = async () => (await findJob(database.read, name))?.reason
    await request(database, [name], 'renewal')
    await request(database, [name], 'asked')
    await request(database, [name], 'first')
    assert.equal(await reason(), 'renewal')
    await database.write((tx) => deleteJob(tx, name))
    await request(database, [name], 'asked')
    assert.equal(await reason(), 'asked')
    await request(database, [name], 'renewal')
    assert.equal(await reason(), 'renewal')
  })

  test('are claimed by priority, longest due first: paying accounts without failures, others, those that failed', async () => {
    await using database = await open()
    const changes = await openChangeFeed(
      { database, now: () => now },
      { warn: () => {} },
      { pollEvery: null },
    )
    const wanted = [
      { name: 'failed.test', account: { id: 'acc_1', isPaying: true }, at: now - 9 },
      { name: 'free.test', account: { id: 'acc_2', isPaying: false }, at: now - 8 },
      { name: 'late.test', account: { id: 'acc_1', isPaying: true }, at: now - 1 },
      { name: 'dash.test', account: null, at: now - 2 },
    ]
    await database.write(async (tx) => {
      for (const one of wanted) await requestCertificate({ changes }, tx, { ...one, reason: 'first' })
    })
    changes.close()
    const [failed] = await claim(database, 'one', now - 9, 1)
    assert.ok(failed?.row.name === 'failed.test')
    await database.write((tx) => releaseJob(tx, failed, { priority: jobPriorities.failed }))
    const taken: string[] = []
    for (let index = 0; index < wanted.length; index++) {
      for (const { row } of await claim(database, `${index}`, now, 1)) taken.push(row.name)
    }
    assert.deepEqual(taken, ['dash.test', 'late.test', 'free.test', 'failed.test'])
  })

  test('show whether they were requested since the claim, whatever the clocks say', async () => {
    await using database = await open()
    await request(database, [name])
    // A machine whose clock is an hour ahead of the one that requested it.
    const [job] = await claim(database, 'one', now + 3_600 * second)
    assert.ok(job)
    const current = async () => (await findJob(database.read, name)) ?? assert.fail()
    assert.equal(isRequestedAgain(job, await current()), false)
    await request(database, [name], 'renewal')
    assert.equal(isRequestedAgain(job, await current()), false)
    await request(database, [name], 'asked')
    assert.equal(isRequestedAgain(job, await current()), true)
    await database.write((tx) => releaseJob(tx, job, {}))
    const [again] = await claim(database, 'two', now)
    assert.ok(again)
    assert.equal(isRequestedAgain(again, await current()), false)
  })

  test('of a process known to be gone can be claimed immediately', async () => {
    await using database = await open()
    await request(database, [name])
    await claim(database, 'gone')
    await endAllLeases(database)
    const taken = await claim(database, 'one')
    assert.deepEqual(
      taken.map(({ isTakenOver }) => isTakenOver),
      [true],
    )
    await Promise.all(taken.map((job) => database.write((tx) => releaseJob(tx, job, {}))))
    assert.equal((await claim(database, 'two'))[0]?.isTakenOver, false)
  })
})
