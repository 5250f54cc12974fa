import { setTimeout as sleep } from 'node:timers/promises'
import type { BlobStore } from '../blobs/blob-store.ts'
import { second } from '../kernel/clock.ts'
import { singleFlight } from '../kernel/single-flight.ts'
import { WrongStoreError } from './compare.ts'

const askEvery = 5 * second

export interface GuardedStore<Store extends BlobStore> {
  store: Store
  /** Resolves if these are not the files of this database, and says what to do. */
  wrong: Promise<string>
  close(): void
}

/** For a store that could not be asked yet: nothing is written or removed before `join` has succeeded. */
export function guardStore<Store extends BlobStore>(
  store: Store,
  join: () => Promise<void>,
): GuardedStore<Store> {
  const wrong = Promise.withResolvers<string>()
  const closing = new AbortController()
  let isOwn = false
  const ask = singleFlight(async (_: 'store') => {
    try {
      await join()
      isOwn = true
    } catch (error) {
      if (error instanceof WrongStoreError) {
        wrong.resolve(error.message)
        closing.abort()
      }
      throw error
    }
  })

  async function keepAsking({ signal }: AbortController): Promise<void> {
    while (!isOwn && !signal.aborted) {
      await sleep(askEvery, undefined, { signal, ref: false }).catch(() => {})
      if (!signal.aborted) await ask('store').catch(() => {})
    }
  }
  void keepAsking(closing)

  const first =
    <Args extends unknown[], Result>(work: (...args: Args) => Promise<Result>) =>
    async (...args: Args): Promise<Result> => {
      if (!isOwn) await ask('store')
      return work(...args)
    }
  return {
    store: {
      ...store,
      // What is committed was staged before.
      stage: first(store.stage),
      stageAll: first(store.stageAll),
      remove: first(store.remove),
      writeDocument: first(store.writeDocument),
      removeDocument: first(store.removeDocument),
    },
    wrong: wrong.promise,
    close: () => closing.abort(),
  }
}
