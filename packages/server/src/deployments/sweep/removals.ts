import { setTimeout as sleep } from 'node:timers/promises'
import type { Id } from '@masthead/contract/schemas/fields.ts'
import { lock, type Tx } from '../../database/database.ts'
import { minute, second } from '../../kernel/clock.ts'
import { forEachConcurrently } from '../../kernel/concurrency.ts'
import { Problem } from '../../kernel/problem.ts'
import { uploadsLock } from '../begin-deployment.ts'
import { claimForRemoval, deleteClaimed, latestClaim } from '../blob-row-store.ts'
import type { DeploymentContext } from '../deployment.ts'
import { encodings } from '../manifest.ts'

/** No removal starts or has an effect later than this after its claim. */
const removalTime = minute
/** After this, files of a claim that was never confirmed no longer disappear, even if clocks differ by minutes. */
export const claimTime = 5 * minute
/** Files removed at the same time. */
const maxConcurrent = 16
/** Most removals take less than a second. */
const defaultWait = 10 * second
const pollMs = 50

export class RemovalTooSlowError extends Error {
  override readonly name = 'RemovalTooSlowError'
}

/**
 * Removes files, with no transaction open meanwhile: their rows are claimed, then the files are removed, then the rows
 * are deleted. Until then uploads of the same files wait. False if some were claimed before: they need another sweep.
 *
 * `claim` runs its work in a transaction that holds the uploads lock, with the files that no deployment uses at that
 * moment, or returns null if it cannot know them.
 */
export async function removeFiles(
  { database, blobs, now }: DeploymentContext,
  accountId: Id<'account'>,
  claim: <T>(work: (tx: Tx, unused: string[]) => Promise<T>) => Promise<T | null>,
): Promise<boolean> {
  const claimed = await claim(async (tx, unused) => {
    const at = now()
    const digests = await claimForRemoval(tx, accountId, unused, { at, unclaimedSince: at - claimTime })
    return { at, digests, isWhole: digests.length === unused.length }
  })
  if (claimed === null) return false
  await forEachConcurrently(claimed.digests, maxConcurrent, async (sha256) => {
    for (const encoding of [...encodings, undefined]) {
      const left = claimed.at + removalTime - now()
      if (left <= 0) throw new RemovalTooSlowError('Removing unused files took too long')
      await blobs.remove({ accountId, sha256, encoding }, left)
    }
  })
  await database.write(async (tx) => {
    await lock(database, tx, uploadsLock(accountId))
    await deleteClaimed(tx, accountId, claimed.digests, claimed.at)
  })
  return claimed.isWhole
}

/**
 * Call this before an upload stores files, once its deployment exists: no claim on them is made after that. Waits for
 * those made before, so that no removal takes away what the upload brings.
 */
export async function waitForRemovals(
  { database, now, removalWait = defaultWait }: DeploymentContext,
  accountId: Id<'account'>,
  digests: readonly string[],
): Promise<void> {
  const giveUp = performance.now() + removalWait
  for (;;) {
    const claimedAt = await latestClaim(database.read, accountId, digests)
    const left = claimedAt === null ? 0 : claimedAt + claimTime - now()
    if (left <= 0) return
    if (performance.now() >= giveUp) throw stillBeingRemoved(left)
    await sleep(pollMs)
  }
}

/** A removal was interrupted, or the storage does not answer. */
function stillBeingRemoved(left: number): Problem {
  const minutes = Math.ceil(left / minute)
  const when = minutes === 1 ? 'a minute' : `${minutes} minutes`
  return new Problem(
    'unavailable',
    `Unused copies of some of these files are still being deleted. Try again in ${when}.`,
    { headers: { 'Retry-After': String(Math.ceil(left / second)) } },
  )
}
