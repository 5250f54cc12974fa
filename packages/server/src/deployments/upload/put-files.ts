import { Problem } from '../../kernel/problem.ts'
import { receiveArchive } from '../archive/receive-archive.ts'
import type { DeploymentContext } from '../deployment.ts'
import { readManifest } from '../manifest-document.ts'
import { quoted } from '../paths.ts'
import type { DeploymentRow } from '../store.ts'
import { alreadyFinalized, type CommitBlob, commitBlobsIn } from './commit-blobs.ts'

export interface PutFileInput {
  deployment: DeploymentRow
  sha256: string
  content: AsyncIterable<Uint8Array>
}

/** Sizes by digest of the deployments that are being uploaded now, so that each file need not read the manifest. */
type AnnouncedSizes = (deploymentId: string) => Promise<ReadonlyMap<string, number>>

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
  hold: CommitBlob,
  { deployment, sha256, content }: PutFileInput,
): Promise<void> {
  refuseUnlessUploading(deployment)
  const size = announcedSize(await sizesOf(deployment.id), deployment, sha256)
  const staged = await blobs.stage(content, size).catch((error: unknown) => {
    if (!(error instanceof Problem && error.code === 'file_too_large')) throw error
    throw new Problem('digest_mismatch', `More than the announced ${size} bytes arrived for ${sha256}.`)
  })
  try {
    if (staged.sha256 !== sha256) {
      const what = `${staged.size} bytes with the digest ${staged.sha256}`
      throw new Problem(
        'digest_mismatch',
        `Announced were ${size} bytes with the digest ${sha256}; ${what} arrived.`,
      )
    }
    await hold(deployment, staged)
  } finally {
    await staged.discard()
  }
}

function refuseUnlessUploading(deployment: DeploymentRow): void {
  if (deployment.state !== 'uploading') throw alreadyFinalized(deployment)
}

function announcedSize(
  sizes: ReadonlyMap<string, number>,
  deployment: DeploymentRow,
  sha256: string,
): number {
  const size = sizes.get(sha256)
  if (size === undefined) {
    throw new Problem('file_not_declared', `The deployment ${deployment.id} lists no file ${quoted(sha256)}.`)
  }
  return size
}

export interface PutFilesInput {
  deployment: DeploymentRow
  /** A tar.gz whose entries are named by the digest of their content. */
  body: AsyncIterable<Uint8Array>
}

/** Takes in many announced files with one request and one commit, all or none. Tells how many. */
export async function putFiles(
  { database, blobs, limits, spoolFolder }: DeploymentContext,
  sizesOf: AnnouncedSizes,
  { deployment, body }: PutFilesInput,
): Promise<number> {
  refuseUnlessUploading(deployment)
  const sizes = await sizesOf(deployment.id)
  // What was announced has its space already, so nothing else is let in.
  const admits = (path: string, size: number) => {
    const announced = announcedSize(sizes, deployment, path.slice(1))
    if (size === announced) return
    const detail = `Announced were ${announced} bytes for ${path.slice(1)}; ${size} arrived.`
    throw new Problem('digest_mismatch', detail)
  }
  const format = 'tar.gz'
  const { files, staged } = await receiveArchive({ body, format, limits, blobs, spoolFolder, admits })
  try {
    for (const [path, { sha256 }] of files) {
      const name = path.slice(1)
      if (name === sha256) continue
      throw new Problem('digest_mismatch', `The content sent as ${name} has the digest ${sha256}.`)
    }
    await database.write((tx) => commitBlobsIn(database, tx, deployment, staged))
  } catch (error) {
    for (const blob of staged) await blob.discard()
    throw error
  }
  return staged.length
}
