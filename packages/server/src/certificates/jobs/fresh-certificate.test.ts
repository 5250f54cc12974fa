import assert from 'node:assert/strict'
import { test } from 'node:test'
import { skipWithout } from '@masthead/testing/peers/peers.ts'
import type { Database } from '../../database/database.ts'
import { onEachDatabase } from '../../database/each-database.test-kit.ts'
import { hour } from '../../kernel/clock.ts'
import { FairSemaphore } from '../../kernel/fair-queue.ts'
import { createInternalIssuer, ensureInternalRoot } from '../internal-ca/internal-issuer.ts'
import { type Node, startNode, startPebbleCa } from '../issuing.test-kit.ts'
import { renewDue } from '../renew.ts'
import { findCertificateRow, makeDue } from '../store.ts'
import { runJob } from './issuance-job.ts'
import { claimDueJobs } from './job-lease-store.ts'
import { findJob } from './job-store.ts'
import { requestCertificate } from './request-certificate.ts'

const skip = skipWithout('pebble')
const name = 'www.acme.test'

/** Nine orders in three hours, of which an account leaves a third of its own to the others. */
const limits = [{ count: 9, within: 3 * hour, per: 'account', of: 'orders' } as const]

onEachDatabase('asking for another certificate although the current one is fresh', ({ open }) => {
  async function ask({ context }: Node, of: string, account: string) {
    const request = { name: of, reason: 'asked', at: context.now() } as const
    await context.database.write((tx) =>
      requestCertificate(context, tx, { ...request, account: { id: account, isPaying: true } }),
    )
  }

  test('orders one, however often it is asked for until it is installed', { skip }, async () => {
    await using ca = await startPebbleCa()
    await using database = await open()
    await using node = await ca.startWorking(database)
    await node.get(name)
    const { serial } = await node.state(name)
    await node.stopWorking()
    // Someone recovered the domain just before.
    await node.request(name)
    for (let times = 0; times < 3; times++) await ask(node, name, 'acc_1')
    node.work()
    await node.until(async () => (await findJob(database.read, name)) === undefined)
    assert.notEqual((await node.state(name)).serial, serial)
    assert.equal(ca.orders.length, 2)
  })

  test("uses the account's own share of the limits, so that others still get theirs", { skip }, async () => {
    await using ca = await startPebbleCa()
    await using database = await open()
    await using node = await ca.startWorking(database, { authority: { limits } })
    const isOver = async () => (await findJob(database.read, name)) === undefined
    const isWaiting = async () => (await node.state(name)).lastError?.kind === 'budget'
    for (let times = 0; times < 9 && !(await isWaiting()); times++) {
      await ask(node, name, 'acc_1')
      await node.until(async () => (await isOver()) || (await isWaiting()))
    }
    assert.ok(await isWaiting())
    const { length } = ca.orders
    await ask(node, name, 'acc_1')
    await node.until(async () => (await findJob(database.read, name))?.attempts === 2)
    assert.equal(ca.orders.length, length)
    await ask(node, 'www.other.test', 'acc_2')
    await node.untilValid('www.other.test')
  })
})

onEachDatabase('a job whose certificate is fresh', ({ open }) => {
  /** Runs such a job, and something else between its look at the certificate and its end. */
  async function testInterrupted(meanwhile: (node: Node, issuer: string) => Promise<void>) {
    await using database = await open()
    await using node = await startNode(database, {
      issuer: async (context) => createInternalIssuer(context, await ensureInternalRoot(context)),
    })
    node.work()
    await node.get(name)
    await node.stopWorking()
    const { serial, issuer } = (await findCertificateRow(database.read, name)) ?? assert.fail()
    await node.request(name)
    const [job = assert.fail()] = await claimDueJobs(database, {
      owner: 'a worker',
      now: node.context.now(),
      slots: new FairSemaphore(1),
    })
    let isAsked = false
    const write: Database['write'] = async (work) => {
      if (!isAsked) {
        isAsked = true
        await meanwhile(node, issuer)
      }
      return database.write(work)
    }
    const installed: string[] = []
    const hooks = {
      isAllowed: async () => true,
      isGone: async () => false,
      onInstalled: async (one: string) => void installed.push(one),
      log: { error: (details: object) => assert.fail(String(Reflect.get(details, 'err'))) },
    }
    await runJob(
      { ...node.context, database: { ...database, write } },
      job,
      hooks,
      new AbortController().signal,
    )
    assert.deepEqual([isAsked, installed], [true, []])
    assert.notEqual(await findJob(database.read, name), undefined)
    node.work()
    await node.until(async () => (await findCertificateRow(database.read, name))?.serial !== serial)
    assert.equal(await findJob(database.read, name), undefined)
  }

  test('runs again if another one was requested since it looked', () =>
    testInterrupted(async (node, issuer) => {
      const { database, now } = node.context
      await database.write((tx) => makeDue(tx, { name, issuer }, now()))
      await node.request(name)
    }))

  test('runs again if its renewal became due since it looked, which is requested only once', () =>
    testInterrupted(async ({ context }) => {
      const { database, now } = context
      const due = { renew_at: now(), check_at: now() }
      await database.write((tx) => tx.updateTable('certificates').set(due).execute())
      await renewDue(context, { warn: () => assert.fail('a warning') })
      assert.equal((await findJob(database.read, name))?.reason, 'renewal')
    }))
})
