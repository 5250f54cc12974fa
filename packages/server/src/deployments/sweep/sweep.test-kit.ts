import type { BlobStore } from '../../blobs/blob-store.ts'
import type { Publishing } from '../deployments.test-kit.ts'
import { type DeploymentRow, deleteDeployments } from '../store.ts'

export const text = (word: string) => `${word} `.repeat(200)

export function remove({ context }: Publishing, deployment: DeploymentRow): Promise<void> {
  return context.database.write((tx) => deleteDeployments(tx, [deployment.id]))
}

/** A store that runs something else before a chosen call. */
export function before(
  blobs: BlobStore,
  name: 'remove' | 'removeDocument' | 'readDocument' | 'writeDocument',
  act: () => Promise<void>,
) {
  const call = blobs[name] as (...args: unknown[]) => Promise<unknown>
  return {
    ...blobs,
    [name]: async (...args: unknown[]) => {
      await act()
      return call(...args)
    },
  }
}

/** A store whose removals wait to be released. */
export const holdRemovals = (store: BlobStore) => hold(store, 'remove')
/** The same for documents. */
export const holdWrites = (store: BlobStore) => hold(store, 'writeDocument')

function hold(store: BlobStore, name: 'remove' | 'writeDocument') {
  const begun = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  const blobs = before(store, name, async () => {
    begun.resolve()
    await released.promise
  })
  return { blobs, held: { begun: begun.promise, release: () => released.resolve() } }
}

/** A store that keeps an archive from arriving in full. */
export function holdStaging(store: BlobStore) {
  const arrived = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  const stageAll: BlobStore['stageAll'] = async (batch) => {
    arrived.resolve()
    await released.promise
    return store.stageAll(batch)
  }
  return { blobs: { ...store, stageAll }, arrived: arrived.promise, goOn: () => released.resolve() }
}

/** Of stored files, not of documents or compressed forms. */
export async function digestsOnDisk({ onDisk }: Publishing): Promise<string[]> {
  return (await onDisk()).flatMap((path) => /[0-9a-f]{64}$/.exec(path)?.[0] ?? []).sort()
}
