import type { Tx } from '../../database/database.ts'
import { newId } from '../../kernel/ids.ts'
import type { DeploymentContext } from '../deployment.ts'
import { type Manifest, withheldContent, withheldFile } from '../manifest.ts'
import { type DeploymentRow, recordDiscarded } from '../store.ts'
import { waitForRemovals } from '../sweep/removals.ts'
import { commitBlobsIn, sendBlobs } from './commit-blobs.ts'

/** Puts the replacement in the place of these files. */
export async function withholdFiles(
  context: DeploymentContext,
  deployment: DeploymentRow,
  manifest: Manifest,
  paths: readonly string[],
): Promise<Manifest> {
  await waitForRemovals(context, deployment.account_id, [withheldFile.sha256])
  const staged = [await context.blobs.stage([withheldContent], withheldFile.size)]
  try {
    await sendBlobs(staged, deployment.account_id)
    await context.database.write((tx) => commitBlobsIn(context, tx, deployment, staged))
  } finally {
    for (const blob of staged) await blob.discard()
  }
  return new Map([...manifest, ...paths.map((path) => [path, withheldFile] as const)])
}

/** Has the sweep remove the withheld files, unless another deployment needs them. */
export async function removeWithheldIn(
  tx: Tx,
  { account_id }: Pick<DeploymentRow, 'account_id'>,
  at: number,
): Promise<void> {
  // The sweep looks at accounts that have a discarded manifest. This one never existed.
  await recordDiscarded(tx, [{ id: newId('deployment', at), account_id, manifest_bytes: 0 }])
}
