import { setTimeout as sleep } from 'node:timers/promises'
import { lock } from '../../database/database.ts'
import { hour, minute, second } from '../../kernel/clock.ts'
import { lockProject } from '../../projects/change-project.ts'
import { uploadsLock } from '../begin-deployment.ts'
import { type BlobRow, findBlobs } from '../blob-row-store.ts'
import type { DeploymentContext } from '../deployment.ts'
import { digestsOf, type Manifest, type ManifestFile } from '../manifest.ts'
import { readManifest, writeManifest } from '../manifest-document.ts'
import {
  type DeploymentRow,
  findDeployment,
  leaseToEncode,
  nextToEncode,
  updateDeployment,
} from '../store.ts'
import { isCompressible } from './encode.ts'
import { type EncodedSizes, encodeBlob } from './encode-blob.ts'

const backoffSteps = [minute, 5 * minute, 30 * minute, 2 * hour, 6 * hour] as const

/** How long to wait after so many attempts in a row in which some file could not be compressed. */
function encodeBackoff(failures: number): number {
  return backoffSteps[Math.min(failures, backoffSteps.length) - 1] ?? backoffSteps[0]
}

/** Longer than a slice and its last file take on the slowest machine; a process that died holds it so long. */
const leaseFor = 10 * minute
/** After so much work on one deployment it is asked again which one matters most. */
const sliceMs = 5 * second
/** With so many failures it is not the file but the disk. */
const mostFailures = 20
/** Forms are published while more are made, but not so often that publishing becomes the work. */
const publishEveryMs = 500
const publishShare = 20

/**
 * Makes compressed forms of one deployment's files for a few seconds, after it went live: nobody waits for them. The
 * quick form of every file comes first, the others later. False when there is nothing to do. Files that cannot be
 * compressed hold up nothing else, and are tried again after a while.
 */
export async function encodeNextDeployment(
  context: DeploymentContext,
  stopping?: AbortSignal,
): Promise<boolean> {
  const { database, now } = context
  const at = now()
  const deployment = await nextToEncode(database.read, at)
  if (deployment === undefined) return false
  const lease = { at, until: at + leaseFor }
  if (!(await database.write((tx) => leaseToEncode(tx, deployment.id, lease)))) return false
  const failures = await encodeSlice(context, deployment, stopping).catch((error: unknown) =>
    finishSlice(context, deployment, { failed: true, done: false }).then(() => [error]),
  )
  // A deployment that was removed meanwhile may have lost its files while they were read.
  if (failures.length > 0 && (await findDeployment(database.read, deployment.id)) !== undefined) {
    throw new AggregateError(failures, `Some files of ${deployment.id} were not compressed`)
  }
  return true
}

/** Gives the reasons of the files that could not be compressed. */
async function encodeSlice(
  context: DeploymentContext,
  deployment: DeploymentRow,
  stopping: AbortSignal | undefined,
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
  let published = started
  let publishing = 0
  let unpublished = false
  let done = true
  for (const { sha256 } of unfinished(manifest, rows, best)) {
    const began = performance.now()
    if (stopping?.aborted || began - started > sliceMs || failures.length === mostFailures) {
      done = false
      break
    }
    try {
      const had = known.get(sha256) ?? null
      known.set(sha256, await encodeBlob(context, { accountId, sha256, had, best }))
      unpublished = true
    } catch (error) {
      failures.push(error)
      continue
    }
    const ended = performance.now()
    if (ended - published > Math.max(publishEveryMs, publishing * publishShare)) {
      await publishEncodings(context, deployment, manifest, known)
      published = performance.now()
      publishing = published - ended
      unpublished = false
    }
    // The slow forms leave half of a core to others.
    if (best) await sleep(Math.min(second, ended - began), undefined, { signal: stopping }).catch(() => {})
  }
  if (unpublished) await publishEncodings(context, deployment, manifest, known)
  await finishSlice(context, deployment, { failed: failures.length > 0, done })
  return failures
}

/** Small files first. */
function unfinished(manifest: Manifest, rows: readonly BlobRow[], best: boolean): BlobRow[] {
  const compressible = new Set<string>()
  for (const [path, { sha256 }] of manifest) if (isCompressible(path)) compressible.add(sha256)
  return rows
    .filter((row) => compressible.has(row.sha256))
    .filter(({ encoded, encoded_best }) => (best ? encoded_best === 0 : encoded === null))
    .sort((a, b) => a.size - b.size)
}

/** Ends the lease. A file that failed is left to the last level, so that it does not keep the others from it. */
async function finishSlice(
  { database, now }: DeploymentContext,
  { id, quick_encoded_at: quick, encode_failures: before }: DeploymentRow,
  { failed, done }: { failed: boolean; done: boolean },
): Promise<void> {
  const at = now()
  const isLast = quick !== null
  const backoff = failed && (isLast || !done)
  const failures = backoff ? before + 1 : before
  await database.write((tx) =>
    updateDeployment(tx, id, {
      encode_lease_until: 0,
      encode_failures: failures,
      encode_due_at: backoff ? at + encodeBackoff(failures) : 0,
      ...(done && !isLast ? { quick_encoded_at: at } : {}),
      ...(done && isLast && !failed ? { encoded_at: at, encode_failures: 0 } : {}),
    }),
  )
}

/** Under the lock: a manifest written after the sweep removed it would stay for ever. */
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
  await database.write(async (tx) => {
    await lock(database, tx, uploadsLock(deployment.account_id))
    const project = await lockProject(database, tx, deployment.project_id)
    if (project === undefined || (await findDeployment(tx, deployment.id)) === undefined) return
    await writeManifest(blobs, deployment.id, files)
    await changes.record(tx, { kind: 'project', subject: project.slug })
  })
}
