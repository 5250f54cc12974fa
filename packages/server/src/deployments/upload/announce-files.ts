import type { MetaInput } from '@masthead/contract/schemas/deployment-meta.ts'
import { lock } from '../../database/database.ts'
import type { ProjectRow } from '../../projects/project.ts'
import { abandonUpload, beginDeployment, uploadsLock } from '../begin-deployment.ts'
import { type BlobRow, countBlobs, findBlobs } from '../blob-row-store.ts'
import type { DeploymentContext } from '../deployment.ts'
import { describeFiles } from '../describe-files.ts'
import { digestsOf, type Manifest } from '../manifest.ts'
import { writeManifest } from '../manifest-document.ts'
import { type DeploymentRow, findDeployment } from '../store.ts'
import { waitForRemovals } from '../sweep/removals.ts'
import { checkFiles } from './check-files.ts'
import { uploadAbandoned } from './commit-blobs.ts'
import { type CompleteManifest, completeManifest, refuseOtherSize } from './complete-manifest.ts'
import { refuseBeyondQuota, reserveStorage } from './storage-quota.ts'

export interface AnnounceInput {
  project: ProjectRow
  files: Record<string, { sha256: string; size: number }>
  createdBy: string
  meta?: MetaInput | undefined
  /** See `beginDeployment`. */
  activate?: boolean | undefined
}

export interface Announced {
  deployment: DeploymentRow
  manifest: Manifest
  /** The digests that the account does not have yet. */
  missing: string[]
  /** The manifest as written, if nothing is missing. Nothing that it lists is swept, so it stays so. */
  complete?: CompleteManifest
  /** Everything is missing, so what is uploaded has no compressed forms yet. */
  isNew: boolean
}

interface LookedUp {
  missing: string[]
  /** The other contents. Null if they were only counted. */
  held: BlobRow[] | null
}

/** If the account has all of so many contents, it probably has the others too. */
const sampleSize = 1_000

/** Starts a deployment from a list of files. */
export async function announceFiles(
  context: DeploymentContext,
  { project, files, ...asked }: AnnounceInput,
): Promise<Announced> {
  const { database, blobs, limits } = context
  const { manifest, leftOut } = await checkFiles(files, limits)
  const described = describeFiles(manifest, leftOut)
  const accountId = project.account_id
  const digests = digestsOf(manifest)
  // Checked outside the transaction, to keep it short, and again once nothing of it can be swept.
  const expected = await expectMissing()
  const deployment = await database.write(async (tx) => {
    await lock(database, tx, uploadsLock(accountId))
    const reserved = bytesOfDigests(manifest, expected)
    await refuseBeyondQuota(tx, accountId, reserved + described.manifest_bytes)
    return beginDeployment(context, tx, { project, ...asked, ...described, reserved_bytes: reserved })
  })
  try {
    const { missing, held } = await stillMissing()
    const complete = held === null || missing.length > 0 ? null : completeManifest(manifest, held)
    // Written after the look-up: its fsync also covers the renames of files that others have just uploaded.
    await writeManifest(blobs, deployment.id, complete?.manifest ?? manifest)
    // If the deployment was removed before that, nothing would ever delete its manifest.
    if ((await findDeployment(database.read, deployment.id)) === undefined)
      throw uploadAbandoned(deployment.id)
    await waitForRemovals(context, accountId, missing)
    const needed = bytesOfDigests(manifest, missing)
    if (needed > deployment.reserved_bytes) await reserveStorage(context, deployment, needed)
    if (complete === null) return { deployment, manifest, missing, isNew: missing.length === digests.length }
    return { deployment, manifest: complete.manifest, missing, complete, isNew: false }
  } catch (error) {
    await abandonUpload(database, deployment)
    throw error
  }

  /** Only what to reserve space for: an error here is corrected later. */
  async function expectMissing(): Promise<string[]> {
    // Most deployments have either nothing new or nothing old, which counting is enough for.
    const some = digests.slice(0, sampleSize)
    if ((await countBlobs(database.read, accountId, some)) === some.length) return []
    const count = await countBlobs(database.read, accountId, digests)
    return count === 0 ? digests : (await lookUp()).missing
  }

  /** Stays valid: now that the deployment has started, nothing that it needs is swept. */
  async function stillMissing(): Promise<LookedUp> {
    if (expected.length === 0) return lookUp()
    const absent = new Set(expected)
    const held = digests.filter((digest) => !absent.has(digest))
    const areHeld = (await countBlobs(database.read, accountId, held)) === held.length
    return areHeld ? { missing: expected, held: null } : lookUp()
  }

  async function lookUp(): Promise<LookedUp> {
    const held = await findBlobs(database.read, accountId, digests)
    const rows = new Map(held.map((row) => [row.sha256, row]))
    for (const [path, file] of manifest) {
      const row = rows.get(file.sha256)
      if (row !== undefined) refuseOtherSize(path, file, row)
    }
    return { held, missing: digests.filter((digest) => !rows.has(digest)) }
  }
}

function bytesOfDigests(manifest: Manifest, digests: readonly string[]): number {
  const counted = new Set(digests)
  let bytes = 0
  for (const { sha256, size } of manifest.values()) if (counted.delete(sha256)) bytes += size
  return bytes
}
