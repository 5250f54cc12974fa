import { Problem } from '../problem.ts'
import { receiveArchive } from './archive/receive-archive.ts'
import type { DeploymentContext } from './context.ts'
import { placeBlobsIn } from './place-blobs.ts'
import { type AnnouncedSizes, announcedSize, refuseUnlessUploading } from './put-file.ts'
import type { DeploymentRow } from './store.ts'

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
    await database.write((tx) => placeBlobsIn(database, tx, deployment, staged))
  } catch (error) {
    for (const blob of staged) await blob.discard()
    throw error
  }
  return staged.length
}
