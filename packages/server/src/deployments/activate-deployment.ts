import type { Id } from '@masthead/contract/schemas/fields.ts'
import type { Tx } from '../database/database.ts'
import { type EventActor, recordEvent } from '../events/record-event.ts'
import { Problem } from '../kernel/problem.ts'
import { lockProject, setActiveDeployment } from '../projects/change-project.ts'
import type { ProjectContext } from '../projects/create-project.ts'
import type { ProjectRow } from '../projects/project.ts'
import { describeInEvent } from './deployment.ts'
import { type DeploymentRow, findDeployment, updateDeployment } from './store.ts'

export interface ActivateInput {
  project: ProjectRow
  deploymentId: Id<'deployment'>
  by: EventActor
  /** Refused if another one is live. */
  replaces?: Id<'deployment'> | undefined
  liveBranch?: LiveBranch
}

/** The branch that a pipeline runs for; empty if it is for none. Null or omitted: it may go live from anywhere. */
export type LiveBranch = string | null | undefined

/** A pipeline goes live from the production branch, unless its trust names another one. */
export function refuseOtherBranch(project: Pick<ProjectRow, 'production_branch'>, branch: LiveBranch): void {
  const { production_branch: production } = project
  if (branch === null || branch === undefined || branch === production) return
  const from = branch === '' ? 'a tag, a pull request or no branch' : `the branch ${branch}`
  throw branchRefused(project, `This pipeline runs for ${from}, and only ${production} goes live.`)
}

/** What the command line calls pull requests from forks, and tags: no branch of the repository. */
const isOfNoBranch = /^(pull|tags)\//

/** What the key of a pipeline remembers of its token. */
interface OwnBranches {
  liveBranch: string | null
  previewBranch: string | null
}

/**
 * The address of a branch and the domains that show it are for what this branch builds: a pipeline that cannot go live
 * labels its previews only with its own branch.
 */
export function refuseOtherLabel(
  project: Pick<ProjectRow, 'production_branch'>,
  key: OwnBranches,
  label: string | undefined,
): void {
  if (!label || mayLabel(project, key, label)) return
  const { previewBranch: own } = key
  const other = own && own !== project.production_branch ? `, or send ${own}` : ''
  const what = `cannot publish previews of ${label}. Leave out \`branch\`${other}`
  throw branchRefused(project, `This pipeline runs for ${nameOf(key)}, so it ${what}.`)
}

/** The same for a deployment that exists: without the newest one of a branch, its address shows an older one. */
export function refuseDeploymentOfOther(
  project: Pick<ProjectRow, 'production_branch'>,
  key: OwnBranches,
  { branch, activated_at: activatedAt }: Pick<DeploymentRow, 'branch' | 'activated_at'>,
): void {
  // What was live without a branch is kept as one of the production branch, to roll back to (retention.ts).
  const label = branch ?? (activatedAt === null ? null : project.production_branch)
  if (!label || mayLabel(project, key, label)) return
  const what = `cannot finalize or delete deployments of ${label}`
  throw branchRefused(project, `This pipeline runs for ${nameOf(key)}, so it ${what}.`)
}

function mayLabel(
  { production_branch: production }: Pick<ProjectRow, 'production_branch'>,
  { liveBranch, previewBranch: own }: OwnBranches,
  label: string,
): boolean {
  if (liveBranch === null || liveBranch === production || isOfNoBranch.test(label)) return true
  // A pull request may come from a branch of a fork with this name.
  return label === own && label !== production
}

function nameOf({ previewBranch: own }: OwnBranches): string {
  return own ? `the branch ${own}` : 'a tag or no branch'
}

function branchRefused(
  { production_branch: productionBranch }: Pick<ProjectRow, 'production_branch'>,
  detail: string,
): Problem {
  return new Problem('branch_refused', detail, { extra: { productionBranch } })
}

/** Makes a deployment live, to publish or to roll back. */
export function activateDeployment(context: ProjectContext, input: ActivateInput): Promise<DeploymentRow> {
  return context.database.write((tx) => activateIn(context, tx, { ...input, at: context.now() }))
}

export async function activateIn(
  { database, changes }: ProjectContext,
  tx: Tx,
  { project, deploymentId, replaces, by, liveBranch, at }: ActivateInput & { at: number },
): Promise<DeploymentRow> {
  const current = await lockProject(database, tx, project.id)
  const deployment = await findDeployment(tx, deploymentId)
  if (current === undefined || deployment?.project_id !== current.id) {
    throw new Problem('not_found', `The project ${project.slug} has no deployment ${deploymentId}.`)
  }
  refuseOtherBranch(current, liveBranch)
  if (deployment.state !== 'ready') {
    throw new Problem('deployment_not_ready', `The deployment ${deploymentId} is still ${deployment.state}.`)
  }
  // A retry finds its own deployment live.
  const { active_deployment_id: active } = current
  if (replaces !== undefined && active !== replaces && active !== deploymentId) {
    throw new Problem('deployment_not_active', 'Another deployment is live now.')
  }
  await setActiveDeployment(tx, project.id, deploymentId, at)
  const row = await updateDeployment(tx, deploymentId, { activated_at: at })
  await changes.record(tx, { kind: 'project', subject: current.slug })
  const event = { accountId: project.account_id, projectId: project.id, by, at }
  await recordEvent(tx, { ...event, type: 'deployment.activated', data: describeInEvent(deployment) })
  return row ?? deployment
}
