import type { Database } from '../database/database.ts'
import { noteAccountChange } from '../events/account-changes.ts'
import { type DeploymentRow, deleteDeployments, findDeployment, noteDiscarded } from './store.ts'

/**
 * Ends an upload that failed. What it left behind is noted for the sweep, also when the deployment was removed in
 * the meantime. One that became ready after all (the answer to a commit was lost) is kept.
 */
export async function abandonUpload(
  database: Database,
  deployment: Pick<DeploymentRow, 'id' | 'account_id' | 'manifest_bytes'>,
): Promise<void> {
  await database.write(async (tx) => {
    const current = await findDeployment(tx, deployment.id)
    if (current?.state === 'ready') return
    await deleteDeployments(tx, [deployment.id])
    await noteDiscarded(tx, [deployment])
    noteAccountChange(tx, deployment.account_id)
  })
}
