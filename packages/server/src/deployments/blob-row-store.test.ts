import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { test } from 'node:test'
import { onEachDatabase } from '../database/each-database.test-kit.ts'
import {
  countBlobs,
  deleteBlobs,
  findBlobs,
  markBlobsForDeletion,
  readStoredBytes,
  setEncoded,
  upsertBlobs,
} from './blob-row-store.ts'
import { startPublishing } from './deployments.test-kit.ts'

/** More than one query takes. */
const blobs = Array.from({ length: 2_500 }, (_, n) => ({ sha256: hash('sha256', `${n}`), size: n }))
const digests = blobs.map(({ sha256 }) => sha256)
const bytes = (some: readonly { size: number }[]) => some.reduce((sum, { size }) => sum + size, 0)

onEachDatabase('rows of blobs', ({ open }) => {
  test('thousands are recorded, found, counted, marked and deleted', async () => {
    await using database = await open()
    await using publishing = await startPublishing(database)
    const { id } = publishing.account
    const stranger = await publishing.addAccount()
    const stored = async () => (await readStoredBytes(database.read, id)).stored
    const found = async () =>
      (await findBlobs(database.read, id, digests))
        .map(({ sha256, size }) => ({ sha256, size }))
        .sort((a, b) => a.size - b.size)

    const first = blobs.slice(0, 1_700)
    assert.equal(await database.write((tx) => upsertBlobs(tx, id, first)), bytes(first))
    assert.deepEqual(await found(), first)
    assert.equal(
      await database.write((tx) => upsertBlobs(tx, id, [...blobs, ...first])),
      bytes(blobs.slice(1_700)),
    )
    assert.deepEqual(await found(), blobs)
    assert.equal(await stored(), bytes(blobs))
    assert.equal(await countBlobs(database.read, id, digests), 2_500)
    assert.equal(await countBlobs(database.read, stranger.id, digests), 0)
    assert.deepEqual(await findBlobs(database.read, stranger.id, digests), [])

    await database.write((tx) => markBlobsForDeletion(tx, id, digests.slice(1_000), 1))
    assert.deepEqual(await found(), blobs.slice(0, 1_000))
    assert.equal(await countBlobs(database.read, id, digests), 1_000)
    await database.write((tx) => deleteBlobs(tx, id, digests.slice(100)))
    assert.deepEqual(await found(), blobs.slice(0, 100))
    assert.equal(await stored(), bytes(blobs.slice(0, 100)))
    assert.equal(await database.write((tx) => upsertBlobs(tx, id, [])), 0)
    assert.deepEqual(await findBlobs(database.read, id, []), [])
    assert.equal(await countBlobs(database.read, id, []), 0)
  })

  test('recording a blob again keeps its compressed forms, unless it was marked for deletion', async () => {
    await using database = await open()
    await using publishing = await startPublishing(database)
    const { id } = publishing.account
    const [kept, marked] = [blobs[1], blobs[2]]
    assert.ok(kept && marked)
    const again = () => database.write((tx) => upsertBlobs(tx, id, [kept, marked]))
    await again()
    for (const { sha256 } of [kept, marked]) {
      await database.write((tx) => setEncoded(tx, id, { sha256, encoded: '{"gzip":1}', encoded_best: 1 }))
    }
    await database.write((tx) => markBlobsForDeletion(tx, id, [marked.sha256], 1))
    assert.equal(await again(), 0)
    const rows = await findBlobs(database.read, id, [kept.sha256, marked.sha256])
    assert.deepEqual(
      rows.map((row) => ({ ...row })).sort((a, b) => a.size - b.size),
      [
        { ...kept, encoded: '{"gzip":1}', encoded_best: 1 },
        { ...marked, encoded: null, encoded_best: 0 },
      ],
    )
  })
})
