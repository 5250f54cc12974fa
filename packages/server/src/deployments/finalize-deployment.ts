import { type EventActor, recordEvent } from '../events/record-event.ts'
import { Problem } from '../problem.ts'
import type { ProjectRow } from '../projects/project.ts'
import { activateIn } from './activate-deployment.ts'
import { findBlobs } from './blob-row-store.ts'
import type { DeploymentContext } from './context.ts'
import { isCompressible } from './encode.ts'
import { digestsOf, type Manifest, type ManifestFile } from './manifest.ts'
import { readManifest, writeManifest } from './manifest-document.ts'
import { retainIn } from './retain.ts'
import { type DeploymentRow, findDeployment, updateDeployment } from './store.ts'

export interface FinalizeInput {
  project: ProjectRow
  deployment: DeploymentRow
  activate: boolean
  by: EventActor
}

/** Completes a deployment once every file is here, and serves it. To finalize again changes nothing. */
export async function finalizeDeployment(
  context: DeploymentContext,
  input: FinalizeInput,
): Promise<DeploymentRow> {
  const { database, blobs, now } = context
  const { project, deployment, activate, by } = input
  if (deployment.state === 'ready') return deployment
  const manifest = await readManifest(blobs, deployment.id)
  if (manifest === null) throw new Problem('not_found', `The upload of ${deployment.id} was given up.`)

  const held = await findBlobs(database.read, project.account_id, digestsOf(manifest))
  const encoded = new Map(held.map((row) => [row.sha256, row.encoded]))
  const missing = digestsOf(manifest).filter((digest) => !encoded.has(digest))
  if (missing.length > 0) {
    const detail = `${missing.length} of ${manifest.size} files have not been uploaded.`
    throw new Problem('files_missing', detail, { extra: { missing } })
  }
  const complete = withKnownEncodings(manifest, encoded)
  // Written even if nothing is new in it: what this syncs to disk covers the moves of the files before it.
  await writeManifest(blobs, deployment.id, complete.manifest)

  return database.write(async (tx) => {
    const at = now()
    const current = await findDeployment(tx, deployment.id)
    if (current === undefined) throw new Problem('not_found', `The upload of ${deployment.id} was given up.`)
    if (current.state === 'ready') return current
    const encodedAt = complete.unknown === 0 ? at : null
    let row = await updateDeployment(tx, deployment.id, {
      state: 'ready',
      ready_at: at,
      encoded_at: encodedAt,
    })
    const event = { accountId: project.account_id, projectId: project.id, by, at }
    const data = { deploymentId: deployment.id, files: deployment.files }
    await recordEvent(tx, { ...event, type: 'deployment.ready', data })
    if (activate) row = await activateIn(context, tx, { project, deploymentId: deployment.id, by, at })
    await retainIn(context, tx, project)
    return row ?? current
  })
}

/** Files that were compressed for an earlier deployment are served compressed from the first request. */
function withKnownEncodings(
  manifest: Manifest,
  encoded: ReadonlyMap<string, string | null>,
): { manifest: Manifest; unknown: number } {
  const files = new Map<string, ManifestFile>()
  let unknown = 0
  for (const [path, file] of manifest) {
    const sizes = encoded.get(file.sha256) ?? null
    if (sizes === null && isCompressible(path)) unknown++
    files.set(
      path,
      sizes === null ? file : { ...file, encoded: JSON.parse(sizes) as ManifestFile['encoded'] & {} },
    )
  }
  return { manifest: files, unknown }
}
