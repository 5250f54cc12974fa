import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { onEachDatabase } from '../../database/each-database.test-kit.ts'
import { digestOf, startPublishing } from '../deployments.test-kit.ts'
import { describeStorage } from '../upload/storage-quota.ts'
import { filesToCheck, markFound, markLost } from './lost-files.ts'
import { remove } from './sweep.test-kit.ts'
import { sweep } from './sweep.ts'

onEachDatabase('lost files', ({ open }) => {
  test('take no space until they are there again, so that a full account can publish them', async () => {
    await using database = await open()
    await using publishing = await startPublishing(database)
    const { context, account } = publishing
    await database.write((tx) =>
      tx.updateTable('accounts').set({ plan: 'enterprise', limit_storage: 12_000 }).execute(),
    )
    const site = { '/index.html': randomBytes(4_000).toString('hex'), '/a.txt': 'A' }
    const digests = Object.values(site).map(digestOf)
    const stored = async () => (await describeStorage(database.read, account.id)).used
    const first = await publishing.publish(site)
    const whole = await stored()
    assert.ok(whole > 8_000, `${whole}`)
    const lists = whole - 8_001

    const { deployment } = await publishing.announce(site)
    await markLost(database, account.id, digests)
    await markLost(database, account.id, digests)
    await assert.rejects(publishing.finalize(deployment), { code: 'files_missing' })
    await remove(publishing, deployment)
    await sweep(context)
    assert.equal(await stored(), lists)

    await markFound(database, account.id, digests)
    await markFound(database, account.id, digests)
    assert.equal(await stored(), whole)
    const files = await filesToCheck(database.read, account.id)
    assert.deepEqual(
      files.map(({ isLost }) => isLost),
      [false, false],
    )

    for (const publish of [publishing.publish, publishing.sendArchive]) {
      await markLost(database, account.id, digests)
      const again = await publish(site)
      assert.deepEqual(await publishing.contents(again), site)
      await remove(publishing, again)
      await sweep(context)
      assert.equal(await stored(), whole)
    }

    await markLost(database, account.id, digests)
    await remove(publishing, first)
    await sweep(context)
    assert.deepEqual([await stored(), await filesToCheck(database.read, account.id)], [0, []])
  })
})
