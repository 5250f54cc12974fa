import { access, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { DoctorFinding } from '@masthead/contract/schemas/operator.ts'
import { blobPath, documentPath } from '../../blobs/blob-store.ts'
import { unlessMissing } from '../../blobs/missing.ts'
import { readContent, readRange } from '../../blobs/s3/read-content.ts'
import { createS3Client } from '../../blobs/s3/s3-client.ts'
import { isMissingKey } from '../../blobs/s3/s3-error.ts'
import type { Config } from '../../config/config.ts'
import type { Context } from '../../database/database.ts'
import { explainMismatch } from '../../store-check/compare.ts'
import { matchStore, type ReadableStore } from '../../store-check/join.ts'
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
  const match = await matchStore(context.database.read, storeOf(config)).catch(() => 'own')
  if (match !== 'missing' && match !== 'other') return finding
  const { message, fix } = explainMismatch(match, config)
  return problem(message, fix)
}

/** Opening the store would create folders. */
function storeOf({ s3, dataFolder }: Config): ReadableStore {
  if (s3 === null) {
    const at = (path: string) => join(dataFolder, 'blobs', path)
    const isThere = (path: string) => access(at(path)).then(() => true)
    return {
      readDocument: (name) => unlessMissing(readFile(at(documentPath(name))), null),
      has: (key) => unlessMissing(isThere(blobPath(key)), false),
    }
  }
  const client = createS3Client(s3, doctorS3Limits)
  const ifThere = <T>(reading: Promise<T>) =>
    reading.catch((error: unknown) => {
      if (isMissingKey(error)) return null
      throw error
    })
  return {
    readDocument: (name) => ifThere(readContent(client, documentPath(name), null)),
    has: async (key) => (await ifThere(readRange(client, blobPath(key), 0, 1))) !== null,
  }
}
