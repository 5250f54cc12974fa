import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Database } from '../../database/database.ts'
import { onEachDatabase } from '../../database/each-database.test-kit.ts'
import { day, hour, minute } from '../../kernel/clock.ts'
import { certificateRow } from '../certificate-row.test-kit.ts'
import { createInternalIssuer, ensureInternalRoot } from '../internal-ca/internal-issuer.ts'
import { startNode } from '../issuing.test-kit.ts'
import type { JobChange } from '../jobs/job.ts'
import { findJob } from '../jobs/job-store.ts'
import { purposes } from '../sealed-columns.ts'
import { putCertificate } from '../store.ts'
import { acmePlatformCertificates } from './platform-certificates.ts'

const name = 'acme.pages.test'
const never = Date.now() + 300 * day

async function open(database: Database) {
  const node = await startNode(database, {
    issuer: async (context) => createInternalIssuer(context, await ensureInternalRoot(context)),
  })
  const platform = acmePlatformCertificates(node.context, { platformDomain: 'pages.test' })
  const { sealing, now } = node.context
  return {
    node,
    now,
    find: () => platform.find(name, 'acc_1'),
    job: () => findJob(database.read, name),
    setJob: (change: JobChange & { lease_owner?: string; lease_until?: number }) =>
      database.write((tx) => tx.updateTable('certificate_jobs').set(change).execute()),
    /** Like after a failed renewal. */
    store: (not_after: number) =>
      database.write((tx) => {
        const sealed_key = sealing.seal('a key', purposes.certificate(name))
        return putCertificate(tx, certificateRow(name, { sealed_key, not_after, check_at: null }))
      }),
    [Symbol.asyncDispose]: () => node[Symbol.asyncDispose](),
  }
}

onEachDatabase('ACME certificates of platform names', ({ open: openDatabase }) => {
  test('visits to a name without a certificate request it once and do not wait', async () => {
    await using database = await openDatabase()
    await using platform = await open(database)
    for (let visit = 0; visit < 3; visit++) assert.equal(await platform.find(), null)
    const job = (await platform.job()) ?? assert.fail()
    assert.equal(job.reason, 'first')
    assert.deepEqual(platform.node.heard, [`certificate_due ${name}`])
    platform.node.work()
    await platform.node.untilValid(name)
    assert.ok(await platform.find())
    assert.equal(await platform.job(), undefined)
  })

  test('after a failure, visits do not change the time of the next attempt', async () => {
    await using database = await openDatabase()
    await using platform = await open(database)
    await platform.find()
    await platform.setJob({ next_attempt_at: platform.now() + 2 * hour, rung: 3, attempts: 3 })
    const before = await platform.job()
    await Promise.all(Array.from({ length: 20 }, () => platform.find()))
    assert.deepEqual(await platform.job(), before)
    assert.equal(platform.node.heard.length, 1)
  })

  test('visits during an attempt do not request another', async () => {
    await using database = await openDatabase()
    await using platform = await open(database)
    await platform.find()
    await platform.setJob({ lease_owner: 'a worker', lease_until: platform.now() + minute })
    const before = await platform.job()
    platform.node.clock.ahead = 10
    assert.equal(await platform.find(), null)
    assert.deepEqual(await platform.job(), before)
  })

  test('a permanently refused name is retried after a day, because nobody can re-verify it', async () => {
    await using database = await openDatabase()
    await using platform = await open(database)
    await platform.find()
    await platform.setJob({ next_attempt_at: null, attempts: 1 })
    await platform.find()
    assert.equal((await platform.job())?.next_attempt_at, null)
    platform.node.clock.ahead = day + minute
    await platform.find()
    assert.notEqual((await platform.job())?.next_attempt_at, null)
  })

  test('an expired certificate is served only if no new one is about to arrive', async () => {
    await using database = await openDatabase()
    await using platform = await open(database)
    await platform.store(platform.now() - hour)
    assert.equal(await platform.find(), null)
    await platform.setJob({ next_attempt_at: platform.now() + hour })
    assert.equal((await platform.find())?.keyPem, 'a key')
    await platform.store(never)
    assert.equal((await platform.find())?.notAfter, never)
  })
})
