import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Database } from '../../database/database.ts'
import { onEachDatabase } from '../../database/each-database.test-kit.ts'
import { day, hour, minute } from '../../kernel/clock.ts'
import { certificateRow } from '../certificate-row.test-kit.ts'
import { createInternalIssuer, ensureInternalRoot } from '../internal-ca/internal-issuer.ts'
import { startNode } from '../issuing.test-kit.ts'
import { findJob } from '../jobs/job-store.ts'
import { purposes } from '../sealed-columns.ts'
import { putCertificate } from '../store.ts'
import { acmePlatformCertificates } from './platform-certificates.ts'
import { isCoveredByPlatform, overdueAt } from './platform-wildcard.ts'

const naming = { platformDomain: 'pages.test' }
const wild = '*.pages.test'
const [shop, branch] = ['shop.pages.test', 'main--shop.pages.test']

async function open(database: Database) {
  const node = await startNode(database, {
    issuer: async (context) => createInternalIssuer(context, await ensureInternalRoot(context)),
  })
  const { context } = node
  const platform = acmePlatformCertificates(context, naming)
  return {
    node,
    platform,
    find: (name: string) => platform.find(name, 'acc_1'),
    serialOf: async (name: string) => (await platform.find(name, 'acc_1'))?.serial ?? null,
    isCovered: (name: string) => isCoveredByPlatform(context, naming, name),
    hasJob: async (name: string) => (await findJob(database.read, name)) !== undefined,
    /** Valid for 90 days, to be renewed after 60. */
    async store(name: string, serial: string): Promise<void> {
      const sealed_key = context.sealing.seal('a key', purposes.certificate(name))
      const row = certificateRow(name, { serial, sealed_key, not_before: context.now() })
      await database.write((tx) => putCertificate(tx, row))
    },
    [Symbol.asyncDispose]: () => node[Symbol.asyncDispose](),
  }
}

onEachDatabase('one certificate for all projects', ({ open: openDatabase }) => {
  test('serves every name right below the platform domain, as one object, and nothing is ordered', async () => {
    await using database = await openDatabase()
    await using pages = await open(database)
    await pages.store(shop, 'own')
    assert.equal(await pages.serialOf(shop), 'own')
    await pages.store(wild, 'wild')
    assert.equal((await pages.find(shop))?.serial, 'wild')
    assert.equal(await pages.find(shop), await pages.find(branch))
    assert.equal(await pages.isCovered(branch), true)
    assert.equal(await pages.hasJob(branch), false)
    for (const name of ['pages.test', 'a.shop.pages.test', 'dash.test']) {
      assert.equal(await pages.find(name), null, name)
      assert.equal(await pages.isCovered(name), false)
      assert.equal(await pages.hasJob(name), true)
    }
  })

  test('that cannot be renewed gives way in time, and no name is ever without a certificate', async () => {
    await using database = await openDatabase()
    await using pages = await open(database)
    await pages.store(wild, 'wild')
    pages.node.clock.ahead = 69 * day
    assert.equal(await pages.serialOf(shop), 'wild')
    assert.equal(await pages.hasJob(shop), false)

    // A third of the time since the renewal was due is over.
    pages.node.clock.ahead = 71 * day
    assert.equal(await pages.isCovered(shop), false)
    assert.equal(await pages.serialOf(shop), 'wild')
    assert.equal(await pages.hasJob(shop), true)
    await pages.store(shop, 'own')
    assert.equal(await pages.serialOf(shop), 'own')
    assert.equal(await pages.serialOf(branch), 'wild')

    await pages.store(wild, 'renewed')
    assert.deepEqual([await pages.serialOf(shop), await pages.serialOf(branch)], ['renewed', 'renewed'])

    // Nobody could renew it at all.
    pages.node.clock.ahead = 71 * day + 91 * day
    assert.equal(await pages.serialOf(branch), null)
  })

  test('has the cache look again when its renewal is overdue', async () => {
    await using database = await openDatabase()
    await using pages = await open(database)
    await pages.store(wild, 'wild')
    const at = pages.node.context.now()
    const until = (await pages.find(shop))?.notAfter ?? assert.fail()
    assert.ok(Math.abs(until - (at + 70 * day)) < minute)
    assert.equal(overdueAt({ renew_at: 60, not_after: 90 }), 70)
  })

  test('is worth waiting for while it is first ordered; if that fails, names get their own', async () => {
    await using database = await openDatabase()
    await using pages = await open(database)
    await pages.node.request(wild)
    assert.equal(await pages.find(shop), null)
    assert.equal(await pages.platform.isPending(shop), true)
    assert.equal(await pages.platform.isPending('pages.test'), false)
    assert.equal(await pages.hasJob(shop), false)
    const next_attempt_at = pages.node.context.now() + hour
    await database.write((tx) =>
      tx.updateTable('certificate_jobs').set({ attempts: 1, next_attempt_at }).execute(),
    )
    assert.equal(await pages.platform.isPending(shop), false)
    assert.equal(await pages.find(shop), null)
    assert.equal(await pages.hasJob(shop), true)
  })
})
