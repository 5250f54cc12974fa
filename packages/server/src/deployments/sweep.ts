import type { Id } from '@masthead/contract/schemas/fields.ts'
import { lock, type Tx } from '../database/database.ts'
import { day } from '../kernel/clock.ts'
import { forEachConcurrently } from '../kernel/concurrency.ts'
import { uploadsLock } from './begin-deployment.ts'
import { blobDigests, blobsMarkedForDeletion, deleteBlobs, markBlobsForDeletion } from './blob-row-store.ts'
import type { DeploymentContext } from './deployment.ts'
import { digestsOf, encodings } from './manifest.ts'
import { readManifest, removeManifest } from './manifest-document.ts'
import {
  accountsWithDiscarded,
  deleteUploadsBefore,
  deploymentStatesOf,
  discardedManifests,
  forgetDiscarded,
} from './store.ts'

/** Uploads that take longer are cancelled. */
const maxUploadAge = day
const batchSize = 200
/** Files removed at the same time, while the account waits. */
const maxConcurrent = 16

/** Removes files that no deployment uses any more. Can be interrupted anywhere and run again. */
export async function sweep(context: DeploymentContext): Promise<void> {
  const { database, now } = context
  await database.write((tx) => deleteUploadsBefore(tx, now() - maxUploadAge))
  const failures: unknown[] = []
  for (const accountId of await accountsWithDiscarded(database.read)) {
    await sweepAccount(context, accountId).catch((error: unknown) => failures.push(error))
  }
  if (failures.length > 0)
    throw new AggregateError(failures, 'Unused files of some accounts were not removed')
}

/**
 * Nothing is removed during an upload to the account. Both sides take the same lock, so a file that an upload relies on
 * cannot disappear. Blobs are marked for deletion first and removed second, so that after a crash an upload simply
 * sends a marked file again.
 */
async function sweepAccount(context: DeploymentContext, accountId: Id<'account'>): Promise<void> {
  const { database, blobs, now } = context
  // In this order: a deployment removed in between counts as needed now, and is swept next time. The other way round,
  // it would be forgotten while its files stay.
  const discarded = await discardedManifests(database.read, accountId)
  const deployments = await deploymentStatesOf(database.read, accountId)
  if (deployments.some(({ state }) => state === 'uploading')) return
  const ready = new Set(deployments.map(({ id }) => id))
  const live = await digestsNamedBy(context, ready, (id) => {
    throw new Error(`The manifest of ${id} is missing, so we don't know which files it needs`)
  })
  const named = await digestsNamedBy(context, discarded)

  const marked = await unlessUploading(async (tx) => {
    const held = await blobDigests(tx, accountId)
    const unused = held.filter((digest) => !live.has(digest))
    await markBlobsForDeletion(tx, accountId, unused, now())
    const unrecorded = named.difference(live).difference(new Set(held))
    return { unrecorded: [...unrecorded] }
  })
  if (marked === null) return
  const removedFiles = await unlessUploading(() => removeFiles(context, accountId, marked.unrecorded))
  if (removedFiles === null || !(await removeMarked())) return
  for (const id of discarded) await removeManifest(blobs, id)
  if (discarded.length > 0) await database.write((tx) => forgetDiscarded(tx, discarded))

  async function removeMarked(): Promise<boolean> {
    for (;;) {
      const removed = await unlessUploading(async (tx) => {
        const digests = await blobsMarkedForDeletion(tx, accountId, batchSize)
        await removeFiles(context, accountId, digests)
        await deleteBlobs(tx, accountId, digests)
        return digests.length
      })
      if (removed === null) return false
      if (removed < batchSize) return true
    }
  }

  /** Null if an upload is running, or ran since we started. The next sweep tries again. */
  function unlessUploading<T>(work: (tx: Tx) => Promise<T>): Promise<T | null> {
    return database.write(async (tx) => {
      await lock(database, tx, uploadsLock(accountId))
      const current = await deploymentStatesOf(tx, accountId)
      const isUnchanged = current.every(({ id, state }) => state === 'ready' && ready.has(id))
      return isUnchanged ? work(tx) : null
    })
  }
}

async function digestsNamedBy(
  { blobs }: DeploymentContext,
  deployments: Iterable<Id<'deployment'>>,
  onMissing: (id: Id<'deployment'>) => void = () => {},
): Promise<Set<string>> {
  const digests = new Set<string>()
  for (const id of deployments) {
    const manifest = await readManifest(blobs, id)
    if (manifest === null) onMissing(id)
    else for (const digest of digestsOf(manifest)) digests.add(digest)
  }
  return digests
}

async function removeFiles(
  { blobs }: DeploymentContext,
  accountId: Id<'account'>,
  digests: string[],
): Promise<void> {
  await forEachConcurrently(digests, maxConcurrent, async (sha256) => {
    for (const encoding of [...encodings, undefined]) await blobs.remove({ accountId, sha256, encoding })
  })
}
