import type { StagedBlob } from '../blobs/blob-store.ts'
import { concurrently } from '../concurrently.ts'
import { lock } from '../database/database.ts'
import type { EventActor } from '../events/record-event.ts'
import type { ProjectRow } from '../projects/project.ts'
import { receiveArchive } from './archive/receive-archive.ts'
import { beginDeployment, uploadsLock } from './begin-deployment.ts'
import { upsertBlobs } from './blob-row-store.ts'
import type { DeploymentContext } from './context.ts'
import { finalizeDeployment } from './finalize-deployment.ts'
import { bytesOf } from './manifest.ts'
import { writeManifest } from './manifest-document.ts'
import { type DeploymentRow, deleteDeployments, updateDeployment } from './store.ts'

export interface ReceiveInput {
  project: ProjectRow
  format: 'tar.gz' | 'zip'
  body: AsyncIterable<Uint8Array>
  activate: boolean
  by: EventActor
}

/** Publishes an archive in one go. If anything is wrong with it, there was no deployment. */
export async function receiveDeployment(
  context: DeploymentContext,
  { project, format, body, activate, by }: ReceiveInput,
): Promise<DeploymentRow> {
  const { database, blobs, limits, spoolFolder } = context
  const begun = await database.write((tx) =>
    beginDeployment(context, tx, { project, files: 0, bytes: 0, createdBy: by.name }),
  )
  let staged: StagedBlob[] = []
  try {
    const received = await receiveArchive({ body, format, limits, blobs, spoolFolder })
    const { files } = received
    staged = received.staged
    // First, so that the sweep finds what a crash leaves in place.
    await writeManifest(blobs, begun.id, files)
    await concurrently(staged, 8, (blob) => blob.commit({ accountId: project.account_id }))
    const deployment = await database.write(async (tx) => {
      await lock(database, tx, uploadsLock(project.account_id))
      await upsertBlobs(tx, project.account_id, staged)
      return updateDeployment(tx, begun.id, { files: files.size, bytes: bytesOf(files) })
    })
    return await finalizeDeployment(context, { project, deployment: deployment ?? begun, activate, by })
  } catch (error) {
    for (const blob of staged) await blob.discard()
    // Should the database be away, the sweep removes it once uploads of its age are given up.
    await database.write((tx) => deleteDeployments(tx, [begun.id])).catch(() => {})
    throw error
  }
}
