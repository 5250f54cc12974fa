import type { Id } from '@masthead/contract/schemas/fields.ts'
import { lock, type Tx } from '../../database/database.ts'
import { day } from '../../kernel/clock.ts'
import { uploadsLock } from '../begin-deployment.ts'
import { blobDigests } from '../blob-row-store.ts'
import type { DeploymentContext } from '../deployment.ts'
import { digestsOf } from '../manifest.ts'
import { readManifest, removeManifest } from '../manifest-document.ts'
import {
  accountsWithDiscarded,
  deleteUploadsBefore,
  deploymentStatesOf,
  discardedManifests,
  forgetDiscarded,
} from '../store.ts'
import { removeFiles } from './removals.ts'

/** Uploads that take longer are cancelled. */
const maxUploadAge = day
/** Files claimed and removed together. An upload of the same files waits for them. */
const batchSize = 200

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
 * No removal starts during an upload to the account: both sides take the same lock, so a file that an upload relies on
 * cannot disappear. An upload sends files again that were claimed for removal before, once they are gone.
 */
async function sweepAccount(context: DeploymentContext, accountId: Id<'account'>): Promise<void> {
  const { database, blobs } = context
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

  const held = await blobDigests(database.read, accountId)
  const unused = [...named.union(new Set(held)).difference(live)]

  for (let start = 0; start < unused.length; start += batchSize) {
    const some = unused.slice(start, start + batchSize)
    if (!(await removeFiles(context, accountId, some, unlessUploading))) return
  }
  for (const id of discarded) await removeManifest(blobs, id)
  if (discarded.length > 0) await database.write((tx) => forgetDiscarded(tx, discarded))

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
