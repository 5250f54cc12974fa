import { type MetaInput, toMeta } from '@masthead/contract/schemas/deployment-meta.ts'
import { type Database, lock, type Tx } from '../database/database.ts'
import { newId } from '../kernel/ids.ts'
import { Problem } from '../kernel/problem.ts'
import { lockProject } from '../projects/change-project.ts'
import type { ProjectRow } from '../projects/project.ts'
import { branchLabels, labelFits } from './branch-label.ts'
import type { DeploymentContext } from './deployment.ts'
import type { FilesDescription } from './describe-files.ts'
import {
  countUploads,
  type DeploymentRow,
  deleteDeployments,
  findDeployment,
  insertDeployment,
  labelOfBranch,
  labelsOfOthers,
  recordDiscarded,
} from './store.ts'

/** Held by uploads to an account and by the sweep of its unused files. */
export function uploadsLock(accountId: string): string {
  return `uploads:${accountId}`
}

/** Per project. Each keeps a manifest and reserved space until it is finished, cancelled, or a day old. */
const maxOpenUploads = 100
/** In seconds. Longer than our client waits, because usually nothing ends soon. */
const retryAfter = 600

export interface BeginInput extends FilesDescription, Pick<DeploymentRow, 'reserved_bytes'> {
  project: ProjectRow
  createdBy: string
  meta?: MetaInput | undefined
  /** Whether it shall go live once it is ready. Undefined: as its branch says, unless finalizing says otherwise. */
  activate?: boolean | undefined
}

/**
 * Creates a deployment in state `uploading`. Until its manifest is written, no file of the account is swept, except
 * while an archive arrives (`beginArchive`), and then none that it lists.
 */
export async function beginDeployment(
  { database, now }: DeploymentContext,
  tx: Tx,
  { project, createdBy, meta: given = {}, activate, ...files }: BeginInput,
): Promise<DeploymentRow> {
  await lock(database, tx, uploadsLock(project.account_id))
  const current = await lockProject(database, tx, project.id)
  if (current === undefined) {
    throw new Problem('not_found', `The project ${project.slug} was deleted.`)
  }
  if ((await countUploads(tx, project.id)) >= maxOpenUploads) throw tooManyOpen(current.slug)
  const at = now()
  const meta = toMeta(given)
  const row: DeploymentRow = {
    id: newId('deployment', at),
    account_id: project.account_id,
    project_id: project.id,
    state: 'uploading',
    ...files,
    meta: Object.keys(meta).length === 0 ? null : JSON.stringify(meta),
    branch: meta.branch ?? null,
    branch_label: meta.branch === undefined ? null : await chooseLabel(tx, current, meta.branch),
    activate: activate === undefined ? null : Number(activate),
    created_by: createdBy,
    created_at: at,
    ready_at: null,
    activated_at: null,
    encoded_at: null,
    quick_encoded_at: null,
    encode_failures: 0,
    encode_due_at: 0,
    encode_lease_until: 0,
  }
  await insertDeployment(tx, row)
  return row
}

function tooManyOpen(slug: string): Problem {
  return new Problem(
    'too_many_uploads',
    `The project ${slug} has ${maxOpenUploads} uploads that are not finished. Finalize or delete some of them: ` +
      'its deployments list them as uploading. Each is cancelled a day after it began.',
    { headers: { 'Retry-After': String(retryAfter) } },
  )
}

/** A branch keeps its label, so that its address is stable. The lock on the project keeps two from taking the same one. */
async function chooseLabel(tx: Tx, project: ProjectRow, branch: string): Promise<string | null> {
  const { id, slug, production_branch: production } = project
  const known = await labelOfBranch(tx, id, branch)
  if (known !== null && labelFits(known, slug)) return known
  const labels = branchLabels(branch, slug)
  const taken = await labelsOfOthers(tx, id, branch, labels)
  if (branch !== production) for (const label of branchLabels(production, slug)) taken.add(label)
  return labels.find((label) => !taken.has(label)) ?? null
}

/**
 * Ends a failed upload and leaves its files to the sweep, even if the deployment was removed in the meantime. A
 * deployment that became ready after all (we lost the result of the commit) is kept.
 */
export function abandonUpload(
  database: Database,
  deployment: Pick<DeploymentRow, 'id' | 'account_id' | 'manifest_bytes'>,
): Promise<void> {
  return database.cleanUp(async (tx) => {
    const current = await findDeployment(tx, deployment.id)
    if (current?.state === 'ready') return
    await deleteDeployments(tx, [deployment.id])
    await recordDiscarded(tx, [deployment])
  })
}
