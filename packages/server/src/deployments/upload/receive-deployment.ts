import type { MetaInput } from '@masthead/contract/schemas/deployment-meta.ts'
import type { StagedBlob } from '../../blobs/blob-store.ts'
import type { EventActor } from '../../events/record-event.ts'
import type { ProjectRow } from '../../projects/project.ts'
import { type LiveBranch, refuseOtherBranch } from '../activate-deployment.ts'
import type { ArchiveFormat } from '../archive/archive.ts'
import { receiveArchive } from '../archive/receive-archive.ts'
import { abandonUpload, beginDeployment } from '../begin-deployment.ts'
import { type DeploymentContext, isOfProduction } from '../deployment.ts'
import { describeFiles, noFilesYet } from '../describe-files.ts'
import { digestsOf, documentBytesOf } from '../manifest.ts'
import { writeManifest } from '../manifest-document.ts'
import { type DeploymentRow, updateDeployment } from '../store.ts'
import { beginArchive, createHolder, endArchive } from '../sweep/archive-file-store.ts'
import { waitForRemovals } from '../sweep/removals.ts'
import type { ArrivingUpload } from './arriving-bytes.ts'
import { commitBlobsIn, sendBlobs } from './commit-blobs.ts'
import { finalizeDeployment } from './finalize-deployment.ts'
import { StorageReservation } from './storage-quota.ts'

/** Files committed per transaction, which blocks other writers meanwhile. */
const batchSize = 500

export interface ReceiveInput {
  project: ProjectRow
  format: ArchiveFormat
  body: AsyncIterable<Uint8Array>
  arriving: ArrivingUpload
  /** See `beginDeployment`. */
  activate: boolean | undefined
  meta?: MetaInput | undefined
  by: EventActor
  liveBranch?: LiveBranch
  /** Throws if they may not publish any more: an archive may take hours to arrive. */
  authorizeAgain?: () => Promise<void>
}

/** Publishes an archive in one request. If anything is wrong with it, no deployment remains. */
export async function receiveDeployment(
  context: DeploymentContext,
  { project, format, body, arriving, activate, meta, by, liveBranch, authorizeAgain }: ReceiveInput,
): Promise<DeploymentRow> {
  const { database, blobs, limits, spoolFolder } = context
  // Now as well, because an upload may take hours.
  if (activate ?? isOfProduction({ branch: meta?.branch || null }, project))
    refuseOtherBranch(project, liveBranch)
  const deployment = await database.write(async (tx) => {
    const begun = await beginDeployment(context, tx, {
      ...{ project, ...noFilesYet, reserved_bytes: 0 },
      ...{ createdBy: by.name, meta, activate },
    })
    await beginArchive(tx, begun)
    return begun
  })
  let staged: StagedBlob[] = []
  try {
    const space = new StorageReservation(context, deployment)
    const held = createHolder(database, deployment)
    // Only zip archives are on the disk as they are. What is in an archive counts as storage.
    const arrived = format === 'zip' ? arriving.counted(body) : body
    const received = await receiveArchive({ body: arrived, format, limits, blobs, spoolFolder, space, held })
    arriving.giveBack()
    const { files, leftOut } = received
    staged = received.staged
    await space.take(documentBytesOf(files))
    // First, so that the sweep finds the files after a crash.
    await writeManifest(blobs, deployment.id, files)
    await endArchive(database, deployment)
    const digests = staged.map(({ sha256 }) => sha256)
    await waitForRemovals(context, project.account_id, digests)
    for (let start = 0; start < staged.length; start += batchSize) {
      const some = staged.slice(start, start + batchSize)
      await sendBlobs(some, project.account_id)
      await database.write((tx) => commitBlobsIn(context, tx, deployment, some))
    }
    await database.write((tx) => updateDeployment(tx, deployment.id, describeFiles(files, leftOut)))
    const announced = { manifest: files, isNew: new Set(digests).size === digestsOf(files).length }
    await authorizeAgain?.()
    return await finalizeDeployment(context, { project, deployment, by, liveBranch, announced })
  } catch (error) {
    await Promise.allSettled(staged.map((blob) => blob.discard()))
    await abandonUpload(database, deployment)
    throw error
  }
}
