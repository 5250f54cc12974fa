import type { MetaInput } from '@masthead/contract/schemas/deployment-meta.ts'
import type { Id } from '@masthead/contract/schemas/fields.ts'
import { lock } from '../../database/database.ts'
import { Problem } from '../../kernel/problem.ts'
import type { ProjectRow } from '../../projects/project.ts'
import { abandonUpload, beginDeployment, uploadsLock } from '../begin-deployment.ts'
import { countBlobs, findBlobs } from '../blob-row-store.ts'
import type { DeploymentContext } from '../deployment.ts'
import { describeFiles } from '../describe-files.ts'
import { digestsOf, type Manifest } from '../manifest.ts'
import { writeManifest } from '../manifest-document.ts'
import { type DeploymentRow, findDeployment } from '../store.ts'
import { waitForRemovals } from '../sweep/removals.ts'
import { checkFiles } from './check-files.ts'
import { uploadAbandoned } from './commit-blobs.ts'
import { refuseBeyondQuota, StorageReservation } from './storage-quota.ts'

export interface AnnounceInput {
  project: ProjectRow
  files: Record<string, { sha256: string; size: number }>
  createdBy: string
  meta?: MetaInput | undefined
}

/** Starts a deployment from a list of files, and returns the digests that the account does not have yet. */
export async function announceFiles(
  context: DeploymentContext,
  { project, files, createdBy, meta }: AnnounceInput,
): Promise<{ deployment: DeploymentRow; manifest: Manifest; missing: string[] }> {
  const { database, blobs, limits } = context
  const { manifest, leftOut } = await checkFiles(files, limits)
  const described = describeFiles(manifest, leftOut)
  const accountId = project.account_id
  // Checked outside the transaction, to keep it short, and again once nothing can be swept.
  const expected = await missingFrom(context, accountId, manifest)
  const deployment = await database.write(async (tx) => {
    await lock(database, tx, uploadsLock(accountId))
    const reserved = bytesOfDigests(manifest, expected)
    await refuseBeyondQuota(tx, accountId, reserved + described.manifest_bytes)
    return beginDeployment(context, tx, { project, createdBy, meta, ...described, reserved_bytes: reserved })
  })
  try {
    await writeManifest(blobs, deployment.id, manifest)
    // If the deployment was removed before that, nothing would ever delete its manifest.
    if ((await findDeployment(database.read, deployment.id)) === undefined)
      throw uploadAbandoned(deployment.id)
    const missing = await stillMissing()
    const more = bytesOfDigests(manifest, missing) - deployment.reserved_bytes
    await waitForRemovals(context, accountId, missing)
    if (more > 0) await new StorageReservation(context, deployment).take(deployment.reserved_bytes + more)
    return { deployment, manifest, missing }
  } catch (error) {
    await abandonUpload(database, deployment).catch(() => {})
    throw error
  }

  /** Stays valid: now that the deployment has started, nothing of the account is swept. */
  async function stillMissing(): Promise<string[]> {
    const absent = new Set(expected)
    const held = digestsOf(manifest).filter((digest) => !absent.has(digest))
    const areHeld = (await countBlobs(database.read, accountId, held)) === held.length
    return areHeld ? expected : missingFrom(context, accountId, manifest)
  }
}

async function missingFrom(
  { database }: DeploymentContext,
  accountId: Id<'account'>,
  manifest: Manifest,
): Promise<string[]> {
  const digests = digestsOf(manifest)
  const held = new Map<string, number>()
  for (const { sha256, size } of await findBlobs(database.read, accountId, digests)) held.set(sha256, size)
  for (const [path, { sha256, size }] of manifest) {
    const known = held.get(sha256)
    if (known === undefined || known === size) continue
    const detail = `${path} is listed with ${size} bytes, but the file with the digest ${sha256} has ${known}.`
    throw new Problem('digest_mismatch', detail)
  }
  return digests.filter((digest) => !held.has(digest))
}

function bytesOfDigests(manifest: Manifest, digests: readonly string[]): number {
  const counted = new Set(digests)
  let bytes = 0
  for (const { sha256, size } of manifest.values()) if (counted.delete(sha256)) bytes += size
  return bytes
}
