import type { ProjectRow } from '../projects/project.ts'
import { beginDeployment } from './begin-deployment.ts'
import { findBlobs } from './blob-row-store.ts'
import { checkFiles } from './check-files.ts'
import type { DeploymentContext } from './context.ts'
import { bytesOf, digestsOf } from './manifest.ts'
import { writeManifest } from './manifest-document.ts'
import type { DeploymentRow } from './store.ts'

export interface AnnounceInput {
  project: ProjectRow
  files: Record<string, { sha256: string; size: number }>
  createdBy: string
}

/** Begins a deployment from a list of files, and tells which of them the account does not have yet. */
export async function announceFiles(
  context: DeploymentContext,
  { project, files, createdBy }: AnnounceInput,
): Promise<{ deployment: DeploymentRow; missing: string[] }> {
  const manifest = checkFiles(files, context.limits)
  const digests = digestsOf(manifest)
  return context.database.write(async (tx) => {
    const counts = { files: manifest.size, bytes: bytesOf(manifest) }
    const deployment = await beginDeployment(context, tx, { project, createdBy, ...counts })
    await writeManifest(context.blobs, deployment.id, manifest)
    const held = new Set((await findBlobs(tx, project.account_id, digests)).map((row) => row.sha256))
    return { deployment, missing: digests.filter((digest) => !held.has(digest)) }
  })
}
