import { Problem } from '../problem.ts'
import type { DeploymentContext } from './context.ts'
import type { HoldBlobs } from './hold-blobs.ts'
import { readManifest } from './manifest-document.ts'
import type { DeploymentRow } from './store.ts'

export interface PutFileInput {
  deployment: DeploymentRow
  sha256: string
  content: AsyncIterable<Uint8Array>
}

/** Sizes by digest of the deployments that are being uploaded now, so that each file need not read the manifest. */
export type AnnouncedSizes = (deploymentId: string) => Promise<ReadonlyMap<string, number>>

export function announcedSizes({ blobs }: Pick<DeploymentContext, 'blobs'>): AnnouncedSizes {
  const remembered = new Map<string, Promise<ReadonlyMap<string, number>>>()
  return (deploymentId) => {
    const known = remembered.get(deploymentId)
    if (known !== undefined) return known
    const sizes = readManifest(blobs, deploymentId).then(
      (manifest) => new Map(Array.from(manifest?.values() ?? [], (file) => [file.sha256, file.size])),
    )
    sizes.catch(() => remembered.delete(deploymentId))
    for (const oldest of remembered.keys()) if (remembered.size >= 20) remembered.delete(oldest)
    remembered.set(deploymentId, sizes)
    return sizes
  }
}

/** Takes in one file that the deployment announced. */
export async function putFile(
  { blobs }: Pick<DeploymentContext, 'blobs'>,
  sizesOf: AnnouncedSizes,
  hold: HoldBlobs,
  { deployment, sha256, content }: PutFileInput,
): Promise<void> {
  if (deployment.state !== 'uploading') {
    throw new Problem('deployment_finalized', `The deployment ${deployment.id} is ${deployment.state}.`)
  }
  const size = (await sizesOf(deployment.id)).get(sha256)
  if (size === undefined) {
    throw new Problem('file_not_declared', `The deployment ${deployment.id} lists no file ${sha256}.`)
  }
  const staged = await blobs.stage(content, size).catch((error: unknown) => {
    if (!(error instanceof Problem && error.code === 'file_too_large')) throw error
    throw new Problem('digest_mismatch', `More than the announced ${size} bytes arrived for ${sha256}.`)
  })
  if (staged.sha256 !== sha256) {
    await staged.discard()
    const what = `${staged.size} bytes with the digest ${staged.sha256}`
    throw new Problem(
      'digest_mismatch',
      `Announced were ${size} bytes with the digest ${sha256}; ${what} arrived.`,
    )
  }
  await staged.commit({ accountId: deployment.account_id })
  await hold(deployment.account_id, { sha256, size })
}
