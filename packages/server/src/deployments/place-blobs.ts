import type { StagedBlob } from '../blobs/blob-store.ts'
import { concurrently } from '../concurrently.ts'
import { type Database, lock, type Tx } from '../database/database.ts'
import { Problem } from '../problem.ts'
import { uploadsLock } from './begin-deployment.ts'
import { upsertBlobs } from './blob-row-store.ts'
import { useReserved } from './storage-store.ts'
import { type DeploymentRow, findDeployment } from './store.ts'

const movesAtOnce = 8

/**
 * Moves staged files to their place and notes them, as long as their deployment is being uploaded. Both happen
 * under the lock that the sweep takes before it removes files: what is noted is there.
 */
export async function placeBlobsIn(
  database: Pick<Database, 'dialect'>,
  tx: Tx,
  { id, account_id: accountId }: Pick<DeploymentRow, 'id' | 'account_id'>,
  staged: readonly StagedBlob[],
): Promise<void> {
  await lock(database, tx, uploadsLock(accountId))
  const current = await findDeployment(tx, id)
  if (current === undefined) throw uploadGone(id)
  if (current.state !== 'uploading') throw alreadyFinalized(current)
  await concurrently(staged, movesAtOnce, (blob) => blob.commit({ accountId }))
  await useReserved(tx, id, await upsertBlobs(tx, accountId, staged))
}

export function uploadGone(id: string): Problem {
  return new Problem('not_found', `The upload of ${id} was given up.`)
}

export function alreadyFinalized({ id, state }: Pick<DeploymentRow, 'id' | 'state'>): Problem {
  return new Problem('deployment_finalized', `The deployment ${id} is ${state}.`)
}
