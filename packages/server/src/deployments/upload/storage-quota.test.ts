import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import type { Database } from '../../database/database.ts'
import { onEachDatabase } from '../../database/each-database.test-kit.ts'
import { endOfArchive, tarPart } from '../archive/tar.test-kit.ts'
import { upsertBlobs } from '../blob-row-store.ts'
import { alone, by, type Publishing, startPublishing } from '../deployments.test-kit.ts'
import { deleteDeployment } from '../remove-deployments.ts'
import { sweep } from '../sweep/sweep.ts'
import { receiveDeployment } from './receive-deployment.ts'
import { describeStorage } from './storage-quota.ts'

const noise = (bytes: number) => randomBytes(bytes / 2).toString('hex')
const full = { name: 'Problem', code: 'storage_full' }

async function allow(database: Database, bytes: number): Promise<void> {
  await database.write(async (tx) => {
    await tx.updateTable('accounts').set({ plan: 'enterprise', limit_storage: bytes }).execute()
  })
}

/** The counted bytes are exactly those on disk. */
async function used(database: Database, { account }: Publishing): Promise<number> {
  const blobs = await database.read.selectFrom('blobs').select('size').execute()
  const counted = await database.read.selectFrom('storage').select('bytes').execute()
  const sum = blobs.reduce((bytes, { size }) => bytes + size, 0)
  assert.equal(counted[0]?.bytes ?? 0, sum)
  return (await describeStorage(database.read, account.id)).used
}

onEachDatabase('the storage of an account', ({ open }) => {
  test('counts equal files once, shrinks on deletion, and is refused beyond the limit', async () => {
    await using database = await open()
    await using publishing = await startPublishing(database)
    await allow(database, 10_000)
    const page = noise(4_000)
    const first = await publishing.publish({ '/index.html': page, '/copy.html': page })
    const afterFirst = await used(database, publishing)
    assert.ok(afterFirst >= 4_000 && afterFirst < 5_000, `${afterFirst}`)

    const second = await publishing.publish({ '/index.html': page, '/b.html': noise(4_000) })
    assert.ok((await used(database, publishing)) < 9_600)
    const before = await publishing.onDisk()
    await assert.rejects(publishing.announce({ '/index.html': noise(4_000) }), full)
    await assert.rejects(publishing.sendArchive({ '/index.html': noise(4_000) }), full)
    assert.deepEqual(await publishing.onDisk(), before)
    // Files that exist already only need room for the manifest.
    await publishing.sendArchive({ '/index.html': page })

    await deleteDeployment(publishing.context, { project: publishing.project, deploymentId: second.id, by })
    await sweep(publishing.context)
    assert.ok((await used(database, publishing)) < 5_000)
    await publishing.sendArchive({ '/index.html': noise(4_000) })
    assert.notEqual(await publishing.find(first.id), undefined)
  })

  test('limits the files of an archive together, and lets them fill the space that is left', async () => {
    await using database = await open()
    await using publishing = await startPublishing(database)
    await allow(database, 10_000)
    const files = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, n) => [`/${n}.html`, noise(1_000)]))
    const before = await publishing.onDisk()
    await assert.rejects(publishing.sendArchive(files(20)), full)
    assert.deepEqual(await publishing.onDisk(), before)
    await sweep(publishing.context)
    assert.equal(await used(database, publishing), 0)
    await publishing.sendArchive(files(8))
    assert.ok((await used(database, publishing)) > 8_000)
  })

  test('is reported with what is used, allowed, left and needed', async () => {
    await using database = await open()
    await using publishing = await startPublishing(database)
    await allow(database, 10_000)
    await publishing.publish({ '/index.html': noise(4_000) })
    const stored = await used(database, publishing)
    for (const [limit, remaining] of [
      [10_000, 10_000 - stored],
      [2_000, 0],
    ] as const) {
      await allow(database, limit)
      const described = await describeStorage(database.read, publishing.account.id)
      assert.deepEqual(described, { limit, used: stored, remaining })
    }
  })

  test('is named with what is allowed and needed when an upload is refused', async () => {
    await using database = await open()
    await using publishing = await startPublishing(database)
    await allow(database, 2_000)
    await assert.rejects(publishing.announce({ '/index.html': noise(4_000) }), (error: Error) => {
      assert.match(
        error.message,
        /^This account stores 0 B of 2\.0 kB \(Enterprise\), and this upload needs 4\.2 kB more\.$/,
      )
      const { usedBytes, limitBytes } = (error as unknown as { extra: Record<string, number> }).extra
      assert.deepEqual([usedBytes, limitBytes], [0, 2_000])
      return true
    })
  })

  test('is never exceeded by simultaneous uploads, listed or archived', async () => {
    for (const way of ['announce', 'sendArchive'] as const) {
      await using database = await open()
      await using publishing = await startPublishing(database)
      await allow(database, 10_000)
      const uploads = Array.from({ length: 8 }, (_, n) =>
        way === 'announce'
          ? publishing.publish({ '/index.html': noise(3_000), [`/${n}.html`]: `${n}` })
          : publishing.sendArchive({ '/index.html': noise(3_000), [`/${n}.html`]: `${n}` }),
      )
      const ended = await Promise.allSettled(uploads)
      const refused = ended.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []))
      for (const reason of refused) assert.equal(reason.code, 'storage_full', String(reason))
      assert.ok((await used(database, publishing)) <= 10_000)
      assert.ok(ended.length - refused.length <= 3)
      if (way === 'announce') assert.equal(ended.length - refused.length, 3)
    }
  })

  test('is reserved by an upload until it is cancelled', async () => {
    await using database = await open()
    await using publishing = await startPublishing(database)
    await allow(database, 10_000)
    const { deployment } = await publishing.announce({ '/index.html': noise(8_000) })
    await assert.rejects(publishing.announce({ '/index.html': noise(8_000) }), full)
    await deleteDeployment(publishing.context, {
      project: publishing.project,
      deploymentId: deployment.id,
      by,
    })
    const again = noise(8_000)
    const next = await publishing.announce({ '/index.html': again })
    await publishing.put(next.deployment, again)
    await publishing.finalize(next.deployment)
    await sweep(publishing.context)
    assert.ok((await used(database, publishing)) < 8_500)
  })

  test('is not taken by the rest of an archive whose upload was cancelled', async () => {
    await using database = await open()
    await using publishing = await startPublishing(database)
    const { context, project } = publishing
    await allow(database, 40_000)
    let sent = 0
    async function* body() {
      yield tarPart({ name: 'index.html', content: noise(9_000) })
      for (const { id } of await database.read.selectFrom('deployments').select('id').execute())
        await deleteDeployment(context, { project, deploymentId: id, by })
      for (const name of ['a.html', 'b.html']) {
        sent++
        yield tarPart({ name, content: noise(9_000) })
      }
      yield endOfArchive
    }
    const upload = { project, format: 'tar', body: body(), arriving: alone, activate: true, by } as const
    await assert.rejects(receiveDeployment(context, upload), { code: 'not_found' })
    assert.equal(sent, 1)
    await sweep(context)
    assert.deepEqual(await publishing.onDisk(), [])
  })

  test('has room for one file per 4 kB, and for those of a large deployment at least', async () => {
    await using database = await open()
    await using publishing = await startPublishing(database)
    const { context, project, account } = publishing
    await allow(database, 10_000_000)
    const names = Array.from({ length: 20_000 }, (_, n) => `${n}`)
    const many = Object.fromEntries(names.map((name) => [`/${name}`, name]))
    const large = { ...context, limits: { ...context.limits, files: 20_000, bytesPerDeployment: 1_000_000 } }
    const { manifest, deployment } = await publishing.announce(many, project, large)
    await publishing.announce({ '/next.html': 'next' })
    await database.write((tx) => upsertBlobs(tx, account.id, [...manifest.values()].slice(1)))
    await publishing.sendArchive({ '/last.html': 'last' })
    const why = /^This account stores 20,000 different files, and 20,000 are allowed \(Enterprise\)\.$/
    await assert.rejects(publishing.announce({ '/more.html': 'more' }), { ...full, message: why })
    await assert.rejects(publishing.sendArchive({ '/more.html': 'more' }), { ...full, message: why })

    await allow(database, 100_000_000)
    await publishing.announce({ '/more.html': 'more' })
    await allow(database, 10_000_000)
    await deleteDeployment(context, { project, deploymentId: deployment.id, by })
    await sweep(context)
    await publishing.sendArchive({ '/more.html': 'more' })
  })

  test('includes manifests, also of cancelled uploads until they are swept', async () => {
    await using database = await open()
    await using publishing = await startPublishing(database)
    await allow(database, 10_000)
    const site = Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`/${'x'.repeat(200)}${n}`, '']))
    const { deployment } = await publishing.announce(site)
    await deleteDeployment(publishing.context, {
      project: publishing.project,
      deploymentId: deployment.id,
      by,
    })
    assert.ok((await used(database, publishing)) > 7_000)
    await assert.rejects(publishing.announce(site), full)
    await sweep(publishing.context)
    assert.equal(await used(database, publishing), 0)
    await publishing.announce(site)
  })
})
