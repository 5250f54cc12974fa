import { Problem } from '../../kernel/problem.ts'
import { receiveArchive } from '../archive/receive-archive.ts'
import type { DeploymentContext } from '../deployment.ts'
import { quoted } from '../paths.ts'
import type { DeploymentRow } from '../store.ts'
import type { AnnouncedManifests } from './announced-manifests.ts'
import type { ArrivingUpload } from './arriving-bytes.ts'
import {
  alreadyFinalized,
  type CommitBlob,
  commitBlobsIn,
  sendBlobs,
  uploadAbandoned,
} from './commit-blobs.ts'

export interface PutFileInput {
  deployment: DeploymentRow
  sha256: string
  content: AsyncIterable<Uint8Array>
  arriving: ArrivingUpload
}

/** Stores one file that the deployment lists. */
export async function putFile(
  { blobs }: Pick<DeploymentContext, 'blobs'>,
  announced: Pick<AnnouncedManifests, 'sizesOf'>,
  commitBlob: CommitBlob,
  { deployment, sha256, content, arriving }: PutFileInput,
): Promise<void> {
  const size = announcedSize(await announcedSizes(announced, deployment), deployment, sha256)
  const staged = await blobs.stage(arriving.counted(content), size).catch((error: unknown) => {
    if (!(error instanceof Problem && error.code === 'file_too_large')) throw error
    throw new Problem('digest_mismatch', `More than the listed ${size} bytes arrived for ${sha256}.`)
  })
  try {
    if (staged.sha256 !== sha256 || staged.size !== size) {
      const what = `${staged.size} bytes with the digest ${staged.sha256}`
      throw new Problem(
        'digest_mismatch',
        `Expected ${size} bytes with the digest ${sha256}, but got ${what}.`,
      )
    }
    await commitBlob(deployment, staged)
  } finally {
    await staged.discard()
  }
}

async function announcedSizes(
  announced: Pick<AnnouncedManifests, 'sizesOf'>,
  deployment: DeploymentRow,
): Promise<ReadonlyMap<string, number>> {
  if (deployment.state !== 'uploading') throw alreadyFinalized(deployment)
  const sizes = await announced.sizesOf(deployment.id)
  const isArchive = deployment.files === 0
  if (sizes === null && !isArchive) throw uploadAbandoned(deployment.id)
  return sizes ?? new Map()
}

function announcedSize(
  sizes: ReadonlyMap<string, number>,
  deployment: DeploymentRow,
  sha256: string,
): number {
  const size = sizes.get(sha256)
  if (size === undefined) {
    throw new Problem(
      'file_not_declared',
      `The deployment ${deployment.id} does not list a file ${quoted(sha256)}.`,
    )
  }
  return size
}

export interface PutFilesInput {
  deployment: DeploymentRow
  /** An archive whose entries are named by their digest. */
  body: AsyncIterable<Uint8Array>
  format: 'tar' | 'tar.gz'
  arriving: ArrivingUpload
}

/** Stores many listed files with one request and one commit, all or none, and returns how many. */
export async function putFiles(
  context: DeploymentContext,
  announced: Pick<AnnouncedManifests, 'sizesOf'>,
  { deployment, body, format, arriving }: PutFilesInput,
): Promise<number> {
  const { database, blobs, limits, spoolFolder } = context
  const sizes = await announcedSizes(announced, deployment)
  // Listed files have their space reserved, so nothing else is accepted.
  const admits = (path: string, size: number) => {
    const expected = announcedSize(sizes, deployment, path.slice(1))
    if (size === expected) return arriving.take(size)
    const detail = `Expected ${expected} bytes for ${path.slice(1)}, but got ${size}.`
    throw new Problem('digest_mismatch', detail)
  }
  const { files, staged } = await receiveArchive({ body, format, limits, blobs, spoolFolder, admits })
  try {
    for (const [path, { sha256 }] of files) {
      const name = path.slice(1)
      if (name === sha256) continue
      throw new Problem('digest_mismatch', `The content sent as ${name} has the digest ${sha256}.`)
    }
    await sendBlobs(staged, deployment.account_id)
    await database.write((tx) => commitBlobsIn(context, tx, deployment, staged))
  } catch (error) {
    await Promise.allSettled(staged.map((blob) => blob.discard()))
    throw error
  }
  return staged.length
}
