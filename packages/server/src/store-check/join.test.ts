import assert from 'node:assert/strict'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from '@masthead/testing/temporary-folder.ts'
import { sql } from 'kysely'
import { createAccount } from '../accounts/account-lifecycle.ts'
import { type BlobStore, BlobsUnavailableError } from '../blobs/blob-store.ts'
import { createFileStore } from '../blobs/files/file-store.ts'
import type { Database } from '../database/database.ts'
import { onEachDatabase } from '../database/each-database.test-kit.ts'
import { system } from '../events/record-event.ts'
import { WrongStoreError } from './compare.ts'
import { guardStore } from './guard.ts'
import { joinStore, matchStore } from './join.ts'
import { findStore, insertStore } from './store.ts'
import { readStoreId, writeStoreId } from './store-id.ts'

async function createStore() {
  const folder = await temporaryFolder('masthead-store')
  const store = await createFileStore(join(folder.path, 'blobs'))
  return {
    store,
    lose: () => rm(join(folder.path, 'blobs', 'documents'), { recursive: true }),
    [Symbol.asyncDispose]: () => folder.remove(),
  }
}

/** A file that the database has and the store does not, until it is committed. */
async function addFile(database: Database, store: BlobStore): Promise<() => Promise<unknown>> {
  const staged = await store.stage([Buffer.from('page')], 10)
  const { id } = await database.write(async (tx) => {
    const created = await createAccount(tx, { name: 'Acme', plan: 'free', by: system, at: 1 })
    const blob = { account_id: created.id, sha256: staged.sha256, size: 4, encoded: null, encoded_best: 0 }
    await tx
      .insertInto('blobs')
      .values({ ...blob, doomed_at: null })
      .execute()
    return created
  })
  return () => staged.commit({ accountId: id })
}

function joined(database: Database, store: BlobStore): Promise<void> {
  const config = { dataFolder: '/data', s3: null }
  return joinStore({ database, now: () => 1, store, config, log: { warn: () => assert.fail() } })
}

const isWrong = (text: RegExp) => (error: Error) =>
  error instanceof WrongStoreError && text.test(error.message)

onEachDatabase('the store of a database', ({ open }) => {
  test('nodes that start together on a new installation agree on one id', async () => {
    await using database = await open()
    await using place = await createStore()
    await Promise.all(Array.from({ length: 5 }, () => joined(database, place.store)))
    const id = await readStoreId(place.store)
    assert.deepEqual(await findStore(database.read), { id, isWritten: true })
    await joined(database, place.store)
  })

  test('a start that was interrupted between the row and the document is no obstacle to the next', async () => {
    await using database = await open()
    await using place = await createStore()
    await database.write((tx) => insertStore(tx, 'interrupted'))
    await joined(database, place.store)
    assert.equal(await readStoreId(place.store), 'interrupted')
    assert.deepEqual(await findStore(database.read), { id: 'interrupted', isWritten: true })
  })

  test('a store without the id, or with that of another database, is refused', async () => {
    await using database = await open()
    await using place = await createStore()
    await joined(database, place.store)
    await place.lose()
    const missing =
      /^MASTHEAD_DATA: \/data\/blobs does not have the files of this database\. .*MASTHEAD_BLOBS/
    await assert.rejects(joined(database, place.store), isWrong(missing))
    await writeStoreId(place.store, 'other')
    const other = /^MASTHEAD_DATA: \/data\/blobs has the files of another database\./
    await assert.rejects(joined(database, place.store), isWrong(other))
    assert.equal(await readStoreId(place.store), 'other')
  })

  test('a new database takes the id that it finds, and one with files of its own does not', async () => {
    await using place = await createStore()
    await writeStoreId(place.store, 'other')
    await using created = await open()
    assert.equal(await matchStore(created.read, place.store), 'new')
    await Promise.all(Array.from({ length: 5 }, () => joined(created, place.store)))
    assert.deepEqual(await findStore(created.read), { id: 'other', isWritten: true })
    assert.equal(await readStoreId(place.store), 'other')

    await using copied = await open()
    await addFile(copied, place.store)
    assert.equal(await matchStore(copied.read, place.store), 'other')
    await assert.rejects(joined(copied, place.store), isWrong(/has the files of another database/))
    assert.equal(await findStore(copied.read), null)
  })

  test('a database from before stores had ids joins the store with its files, and no other', async () => {
    await using database = await open()
    await using place = await createStore()
    const commit = await addFile(database, place.store)
    // The version that wrote it had no table for the id.
    await sql`drop table file_store`.execute(database.read)
    assert.equal(await matchStore(database.read, place.store), 'missing')
    await sql`create table file_store (id text primary key, store_id text not null, written_at bigint)`.execute(
      database.read,
    )
    await assert.rejects(joined(database, place.store), isWrong(/does not have the files/))
    assert.equal(await findStore(database.read), null)
    await commit()
    await joined(database, place.store)
    assert.ok(await readStoreId(place.store))
  })

  test('a store that could not be asked is not changed before it was asked', async () => {
    await using database = await open()
    await using place = await createStore()
    await using elsewhere = await createStore()
    await joined(database, elsewhere.store)
    await writeStoreId(place.store, 'other')
    let isAway = true
    const away = {
      ...place.store,
      readDocument: async (name: string) => {
        if (isAway) throw new BlobsUnavailableError('away')
        return place.store.readDocument(name)
      },
    }
    const { store, wrong, close } = guardStore(place.store, () => joined(database, away))
    const changes = [
      () => store.stage([Buffer.from('x')], 1),
      () => store.writeDocument('manifests/a.json', Buffer.from('{}')),
      () => store.removeDocument('store-id'),
      () => store.remove({ accountId: 'acc_1', sha256: '0'.repeat(64) }),
    ]
    for (const change of changes) await assert.rejects(change(), BlobsUnavailableError)
    isAway = false
    for (const change of changes) await assert.rejects(change(), WrongStoreError)
    assert.match(await wrong, /has the files of another database/)
    assert.equal(await readStoreId(place.store), 'other')
    close()
  })

  test('a store that is its own can be changed as soon as it answers', async () => {
    await using database = await open()
    await using place = await createStore()
    const { store, close } = guardStore(place.store, () => joined(database, place.store))
    await store.writeDocument('manifests/a.json', Buffer.from('{}'))
    assert.ok(await place.store.readDocument('manifests/a.json'))
    close()
  })
})
