import type { DatabaseSync } from 'node:sqlite'
import type { Client } from 'pg'
import type { BlobStore } from '../blobs/blob-store.ts'
import { OperatorError } from '../kernel/program/process-lifetime.ts'
import { newStoreId, readStoreId } from '../store-check/store-id.ts'

/** The id that the files of a copy get: the one of an earlier run, or a new one. */
export function storeIdIn(copy: DatabaseSync): string {
  const insert = copy.prepare(
    `insert into file_store (id, store_id) values ('shared', ?) on conflict (id) do nothing`,
  )
  insert.run(newStoreId())
  return String(copy.prepare(`select store_id from file_store where id = 'shared'`).get()?.store_id)
}

/** The same in PostgreSQL. */
export async function storeIdAt(copy: Client): Promise<string> {
  await copy.query(
    `insert into file_store (id, store_id) values ('shared', $1) on conflict (id) do nothing`,
    [newStoreId()],
  )
  const { rows } = await copy.query<{ store_id: string }>(
    `select store_id from file_store where id = 'shared'`,
  )
  return rows[0]?.store_id ?? ''
}

/** The files stay where they are. A database that was never used with them has no row yet. */
export async function keepStore(source: DatabaseSync, copy: Client): Promise<void> {
  const known = source.prepare(`select store_id, written_at from file_store where id = 'shared'`).get()
  if (known === undefined) return
  await copy.query(
    `insert into file_store (id, store_id, written_at) values ('shared', $1, $2) on conflict (id) do nothing`,
    [known.store_id, known.written_at],
  )
}

/** Call it before the first file is copied. The store gets the id after the last one. */
export async function refuseUsedStore(
  store: BlobStore,
  own: string,
  { useStore = false }: { useStore?: boolean },
): Promise<void> {
  const found = await readStoreId(store)
  if (found === null || found === own || useStore) return
  throw new OperatorError(
    'The place for the files (MASTHEAD_BLOBS, MASTHEAD_DATA or --blobs) has the files of another database, and they ' +
      'would be deleted with those of this one. Nothing was copied into it. Use an empty bucket, prefix or folder. If ' +
      'the other database is gone for good, run this again with --use-store.',
  )
}
