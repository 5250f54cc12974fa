import { branchRetentionDays, retainedBranches, retainedDeployments } from '@masthead/contract/deployments.ts'
import type { Id } from '@masthead/contract/schemas/fields.ts'
import type { ProjectRow } from '../projects/project.ts'
import type { DeploymentRow } from './store.ts'

const branchRetentionMs = branchRetentionDays * 24 * 60 * 60 * 1000

/**
 * Ready deployments to remove, of those given newest first. The latest ones are kept, and as many of the production
 * branch, so that a busy branch does not push out what one would roll back to. The newest of each branch is kept longer,
 * because people share its address, and for as long as a domain shows the branch.
 */
export function surplusDeployments(
  newestFirst: readonly Pick<DeploymentRow, 'id' | 'branch' | 'created_at' | 'activated_at'>[],
  project: Pick<ProjectRow, 'production_branch' | 'active_deployment_id'> & {
    followed?: ReadonlySet<string | null>
  },
  at: number,
): Id<'deployment'>[] {
  const branches = new Set<string>()
  let production = 0
  return newestFirst
    .filter((deployment, index) => {
      const { id, branch, created_at, activated_at } = deployment
      const isNewestOfBranch = branch !== null && !branches.has(branch)
      if (isNewestOfBranch) branches.add(branch)
      // Pipelines of any branch may publish previews that name none.
      const isOfProduction = branch === null ? activated_at !== null : branch === project.production_branch
      if (isOfProduction && ++production <= retainedDeployments) return false
      if (index < retainedDeployments || id === project.active_deployment_id) return false
      if (isNewestOfBranch && project.followed?.has(branch)) return false
      const isRecent = created_at > at - branchRetentionMs
      return !(isNewestOfBranch && isRecent && branches.size <= retainedBranches)
    })
    .map(({ id }) => id)
}
