import { setTimeout as sleep } from 'node:timers/promises'
import type { Id } from '@masthead/contract/schemas/fields.ts'
import { lock, type Tx } from '../../database/database.ts'
import { day, minute, second } from '../../kernel/clock.ts'
import { forEachConcurrently } from '../../kernel/concurrency.ts'
import { uploadsLock } from '../begin-deployment.ts'
import { blobDigests } from '../blob-row-store.ts'
import type { DeploymentContext } from '../deployment.ts'
import { digestsOf } from '../manifest.ts'
import { manifestName, parseManifest, readIfWhole, removeManifest } from '../manifest-document.ts'
import {
  accountsWithDiscarded,
  type DeploymentToRead,
  deleteUploads,
  deleteUploadsBefore,
  discardedManifests,
  forgetDiscarded,
} from '../store.ts'
import { deleteEndedArchives } from './archive-file-store.ts'
import { removeFiles } from './removals.ts'
import { SweepPauses } from './sweep-pauses.ts'
import { UsedFiles } from './used-files.ts'

/** Uploads that take longer are cancelled. */
const maxUploadAge = day
/** Files claimed and removed together. An upload of the same files waits for them. */
const batchSize = 200
/** Accounts swept at the same time, small ones first: those with many files do not hold up the others. */
const maxConcurrent = 4
/** An announced upload without a manifest after this has failed with its server. */
const maxAnnouncingTime = 10 * minute
/** How long to wait for the manifest of an upload that has just been announced. The next sweep tries again. */
const manifestWait = 5 * second
const pollMs = 50

/** Removes files that no deployment uses any more. Can be interrupted anywhere and run again. */
export async function sweep(context: DeploymentContext, pauses = new SweepPauses()): Promise<void> {
  const { database, now } = context
  await database.write(async (tx) => {
    await deleteUploadsBefore(tx, now() - maxUploadAge)
    await deleteEndedArchives(tx)
  })
  const failures: unknown[] = []
  const accounts = await accountsWithDiscarded(database.read)
  await forEachConcurrently(accounts, maxConcurrent, async (accountId) => {
    await pauses
      .run(accountId, () => sweepAccount(context, accountId))
      .catch((error: unknown) => failures.push(error))
  })
  if (failures.length > 0)
    throw new AggregateError(failures, 'Unused files of some accounts were not removed')
}

/**
 * Uploads and the sweep take the same lock, and nothing is claimed for removal until the manifests of all deployments
 * are known that exist at that moment: a file that an upload relies on cannot disappear. An upload sends files again
 * that were claimed before it started, once they are gone.
 */
async function sweepAccount(context: DeploymentContext, accountId: Id<'account'>): Promise<void> {
  const { database, blobs, now, removalWait = manifestWait } = context
  // In this order: a deployment removed in between counts as needed now, and is swept next time. The other way round,
  // it would be forgotten while its files stay.
  const discarded = await discardedManifests(database.read, accountId)
  const used = new UsedFiles(blobs, accountId)
  const unlisted = await used.add(await used.unknown(database.read))
  const failed = unlisted.filter(hasFailed).map(({ id }) => id)
  // One that is still under way after all finds that its deployment is gone.
  if (failed.length > 0) await database.write((tx) => deleteUploads(tx, failed))
  const unused = await findUnused()

  for (let start = 0; start < unused.length; start += batchSize) {
    const some = unused.slice(start, start + batchSize)
    const claim = <T>(work: (tx: Tx, digests: string[]) => Promise<T>) =>
      whenUsesAreKnown((tx) =>
        work(
          tx,
          some.filter((digest) => !used.isListed(digest) && !used.isHeld(digest)),
        ),
      )
    if (!(await removeFiles(context, accountId, claim))) return
  }
  // If the archive is not published, the next sweep removes them.
  if (unused.some((digest) => used.isHeld(digest) && !used.isListed(digest))) return
  for (const id of discarded) await removeManifest(blobs, id)
  if (discarded.length > 0) await database.write((tx) => forgetDiscarded(tx, discarded))

  /** Of those that deleted deployments name, and those that have a row. */
  async function findUnused(): Promise<string[]> {
    const unlisted = (digests: readonly string[]) => digests.filter((digest) => !used.isListed(digest))
    const found = new Set<string>()
    for (const id of discarded)
      for (const digest of unlisted(await digestsNamedBy(context, id))) found.add(digest)
    for await (const some of blobDigests(database.read, accountId))
      for (const digest of unlisted(some)) found.add(digest)
    return [...found]
  }

  /** Its manifest would have been written long ago. Those without files are archives that an older version receives. */
  function hasFailed({ files, created_at }: DeploymentToRead): boolean {
    return files > 0 && created_at < now() - maxAnnouncingTime
  }

  /** Reads the manifests of deployments that are new. Null if that of an upload takes long to be written. */
  async function whenUsesAreKnown<T>(work: (tx: Tx) => Promise<T>): Promise<T | null> {
    const giveUp = performance.now() + removalWait
    for (;;) {
      const { unknown, result } = await database.write(async (tx) => {
        await lock(database, tx, uploadsLock(accountId))
        const unknown = await used.unknown(tx)
        return { unknown, result: unknown.length === 0 ? await work(tx) : null }
      })
      if (unknown.length === 0) return result
      if ((await used.add(unknown)).length === 0) continue
      if (performance.now() >= giveUp) return null
      await sleep(pollMs)
    }
  }
}

async function digestsNamedBy({ blobs }: DeploymentContext, id: Id<'deployment'>): Promise<string[]> {
  // A damaged one names nothing. The files that have a row are known without it.
  const { parsed: manifest } = await readIfWhole(blobs, manifestName(id), parseManifest)
  return manifest === null ? [] : digestsOf(manifest)
}
