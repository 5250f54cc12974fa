import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { lock } from '../../database/database.ts'
import { exactTime, hour, minute, second, waitAfter } from '../../kernel/clock.ts'
import { isCompressible } from '../../kernel/content-type.ts'
import { lockProject } from '../../projects/change-project.ts'
import { uploadsLock } from '../begin-deployment.ts'
import { type BlobRow, findBlobs } from '../blob-row-store.ts'
import type { DeploymentContext } from '../deployment.ts'
import { digestsOf, type EncodedSizes, type Manifest, type ManifestFile } from '../manifest.ts'
import { readManifest, writeManifest } from '../manifest-document.ts'
import {
  type DeploymentRow,
  findDeployment,
  leaseToEncode,
  nextToEncode,
  recordDiscarded,
  updateEncoding,
} from '../store.ts'
import { commitEncoded, type EncodedBlob, encodeBlob } from './encode-blob.ts'

/** After failed attempts, one after the other. */
const backoffSteps = [minute, 5 * minute, 30 * minute, 2 * hour, 6 * hour] as const

/**
 * Longer than a slice with its last file takes on the slowest machine. If the process dies, nobody else continues
 * before this.
 */
const leaseDuration = 10 * minute
/** After this much work, we check again which deployment is most urgent. */
const sliceMs = 5 * second
/** This many failures are not about single files but about the disk. */
const maxFailures = 20
/** Each commit waits for the disk, so one has many files, unless they take long. */
const commitFiles = 64
const commitEveryMs = 250
/** While the event loop has this much to do, requests come first. */
const busyUtilization = 0.9
const busyPauseMs = 10
/** We publish forms while creating more, but not so often that publishing becomes most of the work. */
const publishEveryMs = 500
const publishShare = 20
/** In each slice, deploys come first for so long: uploads that never end cannot keep all sites from being compressed. */
const mostPausedMs = sliceMs / 2

/**
 * Compresses files of one deployment for a few seconds, after it went live, so nobody waits for it. Starts with the
 * quick form of every file. Returns false if there is nothing to do. Files that fail do not block others, and are
 * retried later.
 */
export async function encodeNextDeployment(
  context: DeploymentContext,
  stopping?: AbortSignal,
): Promise<boolean> {
  const { database, now } = context
  const [next] = await nextToEncode(database, { at: now() })
  if (next === undefined) return false
  const paused = await context.deploys.letPass(mostPausedMs, stopping)
  const at = await exactTime(now)
  const deployment = await database.write((tx) =>
    leaseToEncode(tx, next.id, { at, until: at + leaseDuration }),
  )
  if (deployment === undefined) return false
  const failures = await encodeSlice(context, deployment, { paused, stopping }).catch((error: unknown) =>
    finishSlice(context, deployment, { failed: true, done: false }).then(() => [error]),
  )
  // If the deployment was removed meanwhile, its files may be gone.
  if (failures.length > 0 && (await findDeployment(database.read, deployment.id)) !== undefined) {
    throw new AggregateError(failures, `Some files of ${deployment.id} were not compressed`)
  }
  return true
}

/** Returns the errors of files that could not be compressed. */
async function encodeSlice(
  context: DeploymentContext,
  deployment: DeploymentRow,
  { paused, stopping }: { paused: number; stopping: AbortSignal | undefined },
): Promise<unknown[]> {
  const { account_id: accountId } = deployment
  const manifest = await readManifest(context.blobs, deployment.id)
  if (manifest === null) throw new Error(`The manifest of ${deployment.id} is missing`)
  const best = deployment.quick_encoded_at !== null
  const rows = await findBlobs(context.database.read, accountId, digestsOf(manifest))
  const known = new Map<string, EncodedSizes>()
  for (const { sha256, encoded } of rows) if (encoded !== null) known.set(sha256, JSON.parse(encoded))

  const failures: unknown[] = []
  const started = performance.now()
  let uncommitted: EncodedBlob[] = []
  let committed = started
  let published = started
  let publishing = 0
  let unpublished = isBehind(manifest, known)
  let done = true
  let loop = performance.eventLoopUtilization()

  async function commit(): Promise<void> {
    const some = uncommitted
    uncommitted = []
    if (some.length === 0) return
    try {
      const sizes = await commitEncoded(context, deployment, some, best)
      for (const [sha256, encoded] of sizes) known.set(sha256, encoded)
      unpublished = true
    } catch (error) {
      failures.push(...some.map(() => error))
    }
    committed = performance.now()
  }

  for (const { sha256, size } of blobsToEncode(manifest, rows, best)) {
    paused += await context.deploys.letPass(mostPausedMs - paused, stopping)
    const fileStarted = performance.now()
    if (stopping?.aborted || fileStarted - started > sliceMs || failures.length >= maxFailures) {
      done = false
      break
    }
    try {
      const existing = known.get(sha256) ?? null
      uncommitted.push(await encodeBlob(context, { accountId, sha256, size, existing, best }))
    } catch (error) {
      failures.push(error)
      continue
    }
    const ended = performance.now()
    const isDue = ended - published > Math.max(publishEveryMs, publishing * publishShare)
    if (isDue || uncommitted.length >= commitFiles || ended - committed > commitEveryMs) await commit()
    if (isDue && unpublished) {
      await publishEncodings(context, deployment, manifest, known)
      published = performance.now()
      publishing = published - ended
      unpublished = false
    }
    const { utilization } = performance.eventLoopUtilization(loop)
    // While creating the slow forms, leave half of a core to others.
    const pause = best
      ? Math.min(second, ended - fileStarted)
      : utilization > busyUtilization
        ? busyPauseMs
        : 0
    if (pause > 0) await sleep(pause, undefined, { signal: stopping }).catch(() => {})
    loop = performance.eventLoopUtilization()
  }
  await commit()
  if (unpublished) await publishEncodings(context, deployment, manifest, known)
  await finishSlice(context, deployment, { failed: failures.length > 0, done })
  return failures
}

/** Files were compressed for another deployment after this manifest was written. */
function isBehind(manifest: Manifest, known: ReadonlyMap<string, EncodedSizes>): boolean {
  for (const { sha256, encoded } of manifest.values()) {
    const sizes = known.get(sha256)
    if (sizes !== undefined && !isDeepStrictEqual(sizes, encoded)) return true
  }
  return false
}

/** Smallest first. */
function blobsToEncode(manifest: Manifest, rows: readonly BlobRow[], best: boolean): BlobRow[] {
  const compressible = new Set<string>()
  for (const [path, { sha256 }] of manifest) if (isCompressible(path)) compressible.add(sha256)
  return rows
    .filter((row) => compressible.has(row.sha256))
    .filter(({ encoded, encoded_best }) => (best ? encoded_best === 0 : encoded === null))
    .sort((a, b) => a.size - b.size)
}

/**
 * Ends the lease, unless another worker has it by now. Files that failed at the quick level are retried at the last one, so that they do not hold up the
 * others.
 */
async function finishSlice(
  { database, now }: DeploymentContext,
  deployment: DeploymentRow,
  { failed, done }: { failed: boolean; done: boolean },
): Promise<void> {
  const at = now()
  const { quick_encoded_at: quick, encode_failures: before } = deployment
  const isLast = quick !== null
  const backoff = failed && (isLast || !done)
  const failures = backoff ? before + 1 : before
  await database.write((tx) =>
    updateEncoding(tx, deployment, {
      encode_lease_until: 0,
      encode_failures: failures,
      encode_due_at: backoff ? at + waitAfter(failures, backoffSteps) : 0,
      ...(done && !isLast ? { quick_encoded_at: at } : {}),
      ...(done && isLast && !failed ? { encoded_at: at, encode_failures: 0 } : {}),
    }),
  )
}

/** Not in the transaction, which must not wait for a store on another machine. */
async function publishEncodings(
  { database, blobs, changes }: DeploymentContext,
  deployment: DeploymentRow,
  manifest: Manifest,
  known: ReadonlyMap<string, EncodedSizes>,
): Promise<void> {
  const files = new Map<string, ManifestFile>()
  for (const [path, file] of manifest) {
    const encoded = known.get(file.sha256)
    files.set(path, encoded === undefined ? file : { ...file, encoded })
  }
  if ((await findDeployment(database.read, deployment.id)) === undefined) return
  await writeManifest(blobs, deployment.id, files)
  await database.write(async (tx) => {
    await lock(database, tx, uploadsLock(deployment.account_id))
    const project = await lockProject(database, tx, deployment.project_id)
    if (project === undefined || (await findDeployment(tx, deployment.id)) === undefined) {
      // The sweep may have been here before the manifest was written, and must come again.
      return recordDiscarded(tx, [deployment])
    }
    await changes.record(tx, { kind: 'project', subject: project.slug })
  })
}
