import type { RuleFinding } from '@masthead/contract/site-rules/findings.ts'
import { lock, type Tx } from '../../database/database.ts'
import { type EventActor, recordEvent } from '../../events/record-event.ts'
import { Problem } from '../../kernel/problem.ts'
import { lockProject } from '../../projects/change-project.ts'
import type { ProjectRow } from '../../projects/project.ts'
import { activateIn, type LiveBranch } from '../activate-deployment.ts'
import { abandonUpload, uploadsLock } from '../begin-deployment.ts'
import { countBlobs, countBlobsOfSize, findBlobs } from '../blob-row-store.ts'
import { type DeploymentContext, describeInEvent, goesLive } from '../deployment.ts'
import { digestsOf, isWithheld, type Manifest, sizesOf } from '../manifest.ts'
import { readManifest, writeManifest } from '../manifest-document.ts'
import { deleteOldDeploymentsIn } from '../remove-deployments.ts'
import { type DeploymentRow, findDeployment, updateDeployment } from '../store.ts'
import type { AnnouncedFiles } from './announced-manifests.ts'
import { uploadAbandoned } from './commit-blobs.ts'
import { type CompleteManifest, completeManifest, manifestWithoutForms } from './complete-manifest.ts'
import { storeRules } from './store-rules.ts'
import { removeWithheldIn } from './withhold-passwords.ts'

export interface FinalizeInput {
  project: ProjectRow
  deployment: DeploymentRow
  /** Undefined: as asked when it was created, or as its branch says. */
  activate?: boolean | undefined
  by: EventActor
  liveBranch?: LiveBranch
  /** If known. Null if the upload was cancelled. */
  announced?: AnnouncedFiles | null
}

/**
 * Completes a deployment once all its files are uploaded, and makes it live if asked. Repeating it changes nothing,
 * except that a preview can be asked to go live.
 */
export async function finalizeDeployment(
  context: DeploymentContext,
  { project, deployment: { id }, activate, by, liveBranch, announced: known }: FinalizeInput,
): Promise<DeploymentRow> {
  const { database, blobs, changes, now } = context
  const announced = known === undefined ? await readManifest(blobs, id) : (known?.manifest ?? null)
  const before = await findDeployment(database.read, id)
  if (before?.state === 'ready') return isLateWish(before) ? database.write(finalizeAgain) : before
  if (before === undefined || announced === null) throw uploadAbandoned(id)
  const { manifest: complete, ...left } = await completeNow(announced)
  // Before the transaction, which must not wait for a store on another machine.
  const { findings, manifest } = await storeRules(context, project, before, complete)
  const digests = digestsOf(manifest)
  // After an upload it is written even if unchanged: its fsync also covers the renames of the files before it.
  if (manifest !== known?.complete?.manifest) await writeManifest(blobs, id, manifest)
  return database.write(finalize).catch(async (error: unknown) => {
    // If it was removed and swept meanwhile, nothing would ever delete the manifest.
    if (error instanceof Problem && error.code === 'not_found') await abandonUpload(database, before)
    throw error
  })

  /** Forms that were compressed since the announcement are added later. */
  async function completeNow(files: Manifest): Promise<CompleteManifest> {
    if (known?.complete !== undefined) return known.complete
    if (known?.isNew === true && (await isUploaded())) return manifestWithoutForms(files)
    return completeManifest(files, await findBlobs(database.read, project.account_id, digestsOf(files)))

    async function isUploaded(): Promise<boolean> {
      const sizes = sizesOf(files)
      return (await countBlobsOfSize(database.read, project.account_id, sizes)) === sizes.size
    }
  }

  async function finalize(tx: Tx): Promise<DeploymentRow> {
    await lock(database, tx, uploadsLock(project.account_id))
    // Before the deployment row: removing a project takes locks in this order too.
    const settings = await lockProject(database, tx, project.id)
    const current = await findDeployment(tx, id)
    if (current?.state === 'ready') return finalizeAgain(tx)
    if (current === undefined) throw uploadAbandoned(id)
    // Nothing that an upload lists is swept, so this can only fail if our view was wrong.
    if ((await countBlobs(tx, project.account_id, digests)) !== digests.length) {
      throw new Problem('files_missing', 'Some files were removed. Upload them again.')
    }
    const at = now()
    const change = {
      state: 'ready',
      ready_at: at,
      quick_encoded_at: left.untried === 0 ? at : null,
      encoded_at: left.unfinished === 0 ? at : null,
      diagnostics: withFindings(current, findings),
    } as const
    let row = await updateDeployment(tx, id, change)
    if (row === undefined) throw uploadAbandoned(id)
    const event = { accountId: project.account_id, projectId: project.id, by, at }
    const data = { ...describeInEvent(current), files: current.files }
    await recordEvent(tx, { ...event, type: 'deployment.ready', data })
    if (goesLive(activate, current, settings ?? project))
      row = await activateIn(context, tx, { project, deploymentId: id, by, liveBranch, at })
    // The address of the branch shows another deployment now.
    else if (current.branch_label !== null)
      await changes.record(tx, { kind: 'project', subject: (settings ?? project).slug })
    await deleteOldDeploymentsIn(context, tx, project, id)
    if (isWithheld(manifest)) await removeWithheldIn(tx, current, at)
    return row
  }

  async function finalizeAgain(tx: Tx): Promise<DeploymentRow> {
    await lockProject(database, tx, project.id)
    const current = await findDeployment(tx, id)
    if (current === undefined) throw uploadAbandoned(id)
    if (!isLateWish(current)) return current
    return activateIn(context, tx, { project, deploymentId: id, by, liveBranch, at: now() })
  }

  /** One that was live before is left alone: the request may be a retry, and a newer deployment live since. */
  function isLateWish({ activated_at }: DeploymentRow): boolean {
    return activate === true && activated_at === null
  }
}

/** The diagnostics of a deployment, as its row has them. */
function withFindings({ diagnostics }: DeploymentRow, findings: RuleFinding[]): string | null {
  if (findings.length === 0) return diagnostics
  return JSON.stringify([...(diagnostics === null ? [] : JSON.parse(diagnostics)), ...findings])
}
