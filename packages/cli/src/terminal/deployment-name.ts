import { deploymentTitle } from '@masthead/contract/deployments.ts'
import type { Deployment } from '@masthead/contract/schemas/deployment.ts'
import { clockTime } from './format.ts'
import { sanitize } from './layout.ts'

const maxLength = 60

/** What people know a deployment by: its message, or who published it and when. */
export function deploymentName({
  meta,
  createdBy,
  createdAt,
}: Pick<Deployment, 'meta' | 'createdBy' | 'createdAt'>): string {
  return sanitize(deploymentTitle(meta) ?? `By ${createdBy}, ${clockTime(createdAt, Date.now())}`, maxLength)
}
