import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { DoctorFinding } from '@masthead/contract/schemas/operator.ts'
import { type BlobStore, documentPath } from '../../blobs/blob-store.ts'
import { unlessMissing } from '../../blobs/missing.ts'
import { readContent } from '../../blobs/s3/read-content.ts'
import { createS3Client } from '../../blobs/s3/s3-client.ts'
import { isMissingKey } from '../../blobs/s3/s3-error.ts'
import type { Config } from '../../config/config.ts'
import type { Context } from '../../database/database.ts'
import { explainMismatch } from '../../store-check/compare.ts'
import { matchStore } from '../../store-check/join.ts'
import { problem } from '../check.ts'
import { checkFileStore } from '../data-folder.ts'
import { checkBucketAccess, doctorS3Limits } from './bucket.ts'

/** Whether files can be written and read, and are those of this database. */
export async function checkFiles(
  config: Config,
  context: Context | null,
  signal: AbortSignal,
): Promise<DoctorFinding> {
  const { s3, dataFolder } = config
  const finding = s3 === null ? await checkFileStore(dataFolder) : await checkBucketAccess(s3, signal)
  if (finding.status === 'problem' || context === null) return finding
  // The database has a check of its own, and its tables may be of an older version.
  const match = await matchStore(context.database.read, documentsOf(config)).catch(() => 'own')
  if (match !== 'missing' && match !== 'other') return finding
  const { message, fix } = explainMismatch(match, config)
  return problem(message, fix)
}

/** Opening the store would create folders. */
function documentsOf({ s3, dataFolder }: Config): Pick<BlobStore, 'readDocument'> {
  if (s3 === null) {
    const pathOf = (name: string) => join(dataFolder, 'blobs', documentPath(name))
    return { readDocument: (name) => unlessMissing(readFile(pathOf(name)), null) }
  }
  const client = createS3Client(s3, doctorS3Limits)
  return {
    readDocument: (name) =>
      readContent(client, documentPath(name), null).catch((error: unknown) => {
        if (isMissingKey(error)) return null
        throw error
      }),
  }
}
