import type { BlobStore, RemoteBlobStore } from '../blobs/blob-store.ts'
import { WrongStoreError } from './compare.ts'
import { type GuardedStore, guardStore } from './guard.ts'
import { type JoiningParts, joinStore } from './join.ts'

type AnyStore = BlobStore | RemoteBlobStore

export interface OpenStore {
  store: AnyStore
  /** Otherwise asking would only take time. */
  isResponding: boolean
}

/** Throws a WrongStoreError. If the store cannot be asked now, it is asked later, and before it is changed. */
export async function checkStore(
  { store, isResponding }: OpenStore,
  parts: Omit<JoiningParts, 'store'>,
): Promise<GuardedStore<AnyStore>> {
  const join = () => joinStore({ ...parts, store })
  if (!isResponding) return guardStore(store, join)
  try {
    await join()
    return uncheckedStore(store)
  } catch (error) {
    if (error instanceof WrongStoreError) throw error
    parts.log.warn({ err: error }, 'could not check whether the files belong to this database; trying again')
    return guardStore(store, join)
  }
}

export function uncheckedStore(store: AnyStore): GuardedStore<AnyStore> {
  return { store, wrong: Promise.withResolvers<string>().promise, close: () => {} }
}
