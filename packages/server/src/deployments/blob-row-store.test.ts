import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { test } from 'node:test'
import { onEachDatabase } from '../database/each-database.test-kit.ts'
import {
  claimForRemoval,
  countBlobs,
  countBlobsOfSize,
  deleteClaimed,
  findBlobs,
  latestClaim,
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
  test('names that look like JSON are names', async () => {
    await using database = await open()
    await using publishing = await startPublishing(database)
    const { id } = publishing.account
    const names = ['","', 'a","b', '"', '\\', 'a":0,"b', ',', '']
    for (const name of names) {
      await database.write((tx) => upsertBlobs(tx, id, [{ sha256: name, size: 1 }]))
      const found = await findBlobs(database.read, id, [...digests.slice(0, 2), name])
      assert.deepEqual(
        found.map(({ sha256 }) => sha256),
        [name],
      )
    }
    assert.equal(await countBlobs(database.read, id, names), names.length)
    assert.equal(await countBlobs(database.read, id, []), 0)
  })

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
    const sizes = new Map(blobs.map(({ sha256, size }) => [sha256, size]))
    assert.equal(await countBlobsOfSize(database.read, id, sizes), 2_500)
    for (const n of [0, 2_400]) sizes.set(digests[n] ?? '', 1)
    assert.equal(await countBlobsOfSize(database.read, id, sizes), 2_498)
    assert.equal(await countBlobs(database.read, stranger.id, digests), 0)
    assert.deepEqual(await findBlobs(database.read, stranger.id, digests), [])

    const claim = (some: readonly string[], at: number, unclaimedSince: number) =>
      database.write((tx) => claimForRemoval(tx, id, some, { at, unclaimedSince }))
    assert.equal(await latestClaim(database.read, id, digests), null)
    assert.deepEqual((await claim(digests.slice(1_000), 5, 0)).sort(), digests.slice(1_000).sort())
    assert.equal(await latestClaim(database.read, id, digests), 5)
    assert.deepEqual(await found(), blobs.slice(0, 1_000))
    assert.equal(await countBlobs(database.read, id, digests), 1_000)
    const { size } = blobs[1_000] ?? assert.fail()
    // Claimed again, and so no longer deleted with the others.
    assert.deepEqual(await claim(digests.slice(1_000, 1_001), 6, 4), [])
    assert.deepEqual(await claim(digests.slice(1_000, 1_001), 6, 5), digests.slice(1_000, 1_001))
    await database.write((tx) => deleteClaimed(tx, id, digests, 5))
    assert.deepEqual(await found(), blobs.slice(0, 1_000))
    assert.equal(await stored(), bytes(blobs.slice(0, 1_000)) + size)
    await database.write((tx) => deleteClaimed(tx, id, digests, 6))
    assert.equal(await stored(), bytes(blobs.slice(0, 1_000)))
    assert.equal(await database.write((tx) => upsertBlobs(tx, id, [])), 0)
    assert.deepEqual(await findBlobs(database.read, id, []), [])
    assert.equal(await countBlobs(database.read, id, []), 0)
  })

  test('recording a blob again keeps its compressed forms, unless it was claimed for removal', async () => {
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
    await database.write((tx) => claimForRemoval(tx, id, [marked.sha256], { at: 1, unclaimedSince: 0 }))
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

  test('a file without a row gets one while it is removed, which counts no bytes', async () => {
    await using database = await open()
    await using publishing = await startPublishing(database)
    const { id } = publishing.account
    const stored = async () => (await readStoredBytes(database.read, id)).stored
    const blob = { sha256: hash('sha256', 'left behind'), size: 11 }
    const claim = { at: 1, unclaimedSince: 0 }
    const before = await stored()
    await database.write((tx) => claimForRemoval(tx, id, [blob.sha256], claim))
    assert.equal(await stored(), before)
    assert.equal(await database.write((tx) => upsertBlobs(tx, id, [blob])), 11)
    const [row] = await findBlobs(database.read, id, [blob.sha256])
    assert.equal(row?.size, 11)
    await database.write((tx) => deleteClaimed(tx, id, [blob.sha256], 1))
    assert.equal(await stored(), before + 11)
  })
})
