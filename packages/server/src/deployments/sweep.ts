import type { Id } from '@masthead/contract/schemas/fields.ts'
import { lock, type Tx } from '../database/database.ts'
import { day } from '../kernel/clock.ts'
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

/** An upload that is not finished by then is given up. */
const uploadsMayTake = day
const removedAtOnce = 200

/** Removes files that no deployment names any more. Safe to stop anywhere and to run again. */
export async function sweep(context: DeploymentContext): Promise<void> {
  const { database, now } = context
  await database.write((tx) => deleteUploadsBefore(tx, now() - uploadsMayTake))
  const failures: unknown[] = []
  for (const accountId of await accountsWithDiscarded(database.read)) {
    await sweepAccount(context, accountId).catch((error: unknown) => failures.push(error))
  }
  if (failures.length > 0)
    throw new AggregateError(failures, 'Unused files of some accounts were not removed')
}

/**
 * Nothing is removed while something is being uploaded to the account, and both sides take the same lock to find
 * out: a file that an upload counts on can not disappear between being promised and being named. What is given up
 * is doomed first and removed second, so that after a crash a doomed file is simply asked for again.
 */
async function sweepAccount(context: DeploymentContext, accountId: Id<'account'>): Promise<void> {
  const { database, blobs, now } = context
  // In this order: one that is removed in between counts as needed now and is swept the next time. The other way
  // round it would count as both, and be forgotten with its files still there.
  const discarded = await discardedManifests(database.read, accountId)
  const deployments = await deploymentStatesOf(database.read, accountId)
  if (deployments.some(({ state }) => state === 'uploading')) return
  const ready = new Set(deployments.map(({ id }) => id))
  const live = await digestsNamedBy(context, ready, (id) => {
    throw new Error(`The manifest of ${id} is missing, so nobody knows which files it needs`)
  })
  const named = await digestsNamedBy(context, discarded)

  const doomed = await unlessUploading(async (tx) => {
    const held = await blobDigests(tx, accountId)
    const unused = held.filter((digest) => !live.has(digest))
    await markBlobsForDeletion(tx, accountId, unused, now())
    const neverNoted = named.difference(live).difference(new Set(held))
    return { neverNoted: [...neverNoted] }
  })
  if (doomed === null) return
  const unnoted = await unlessUploading(() => removeFiles(context, accountId, doomed.neverNoted))
  if (unnoted === null || !(await removeDoomed())) return
  for (const id of discarded) await removeManifest(blobs, id)
  if (discarded.length > 0) await database.write((tx) => forgetDiscarded(tx, discarded))

  async function removeDoomed(): Promise<boolean> {
    for (;;) {
      const removed = await unlessUploading(async (tx) => {
        const digests = await blobsMarkedForDeletion(tx, accountId, removedAtOnce)
        await removeFiles(context, accountId, digests)
        await deleteBlobs(tx, accountId, digests)
        return digests.length
      })
      if (removed === null) return false
      if (removed < removedAtOnce) return true
    }
  }

  /** Null: something is being uploaded, or was since we looked. The next sweep tries again. */
  function unlessUploading<T>(work: (tx: Tx) => Promise<T>): Promise<T | null> {
    return database.write(async (tx) => {
      await lock(database, tx, uploadsLock(accountId))
      const current = await deploymentStatesOf(tx, accountId)
      const asBefore = current.every(({ id, state }) => state === 'ready' && ready.has(id))
      return asBefore ? work(tx) : null
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
  for (const sha256 of digests) {
    for (const encoding of [...encodings, undefined]) await blobs.remove({ accountId, sha256, encoding })
  }
}
