import { join } from 'node:path'
import type { Id } from '@masthead/contract/schemas/fields.ts'
import type { BlobKey, BlobStore } from '../../blobs/blob-store.ts'
import type { Database } from '../../database/database.ts'
import { markFound, markLost } from '../../deployments/sweep/lost-files.ts'
import { forEachConcurrently } from '../../kernel/concurrency.ts'
import { parseJson } from '../../kernel/parse-json.ts'
import { FileList } from '../files/file-list.ts'
import { isMissing, type StoredContent } from '../files/read-content.ts'
import { StoredFiles } from '../files/stored-files.ts'
import type { ProgressReport } from '../progress-report.ts'
import { listSnapshots } from '../snapshot-folder.ts'
import { contentFault, isDamage } from './file-fault.ts'
import type { CheckedFiles } from './find-lost-files.ts'
import type { LostFile } from './lost-file.ts'

interface Parts {
  database: Database
  blobs: BlobStore
  /** Null: there is none. */
  backup: FilesOfBackup | null
  progress: ProgressReport
}

const atOnce = 16

/** Copies lost files of an account from a backup, and lets uploads bring the others again, which it returns. */
export async function mendFiles(
  { database, blobs, backup, progress }: Parts,
  accountId: Id<'account'>,
  { lost, back }: CheckedFiles,
): Promise<LostFile[]> {
  const mended = new Set<LostFile>()
  if (backup !== null && lost.length > 0) {
    const step = progress.begin({ title: 'Copying files', unit: 'files', total: lost.length })
    await forEachConcurrently(lost, atOnce, async (one) => {
      if (await isMended(one, blobs, backup)) mended.add(one)
      step.advance(1)
    })
    step.end()
  }
  const left = lost.filter((one) => !mended.has(one))
  const stillLost = digestsOf(left)
  await markLost(database, accountId, [...stillLost])
  await markFound(database, accountId, [...digestsOf(mended).union(new Set(back)).difference(stillLost)])
  return left
}

function digestsOf(files: Iterable<LostFile>): Set<string> {
  const digests = new Set<string>()
  for (const { file } of files) if (file.kind === 'blob') digests.add(file.key.sha256)
  return digests
}

/** What the snapshots of a backup have. */
export class FilesOfBackup implements Disposable {
  readonly stored: StoredFiles
  /** Newest first. */
  readonly lists: readonly FileList[]

  private constructor(folder: string, lists: readonly FileList[]) {
    this.stored = new StoredFiles(join(folder, 'files'))
    this.lists = lists
  }

  /** A snapshot whose list cannot be read is passed over. */
  static async open(folder: string): Promise<FilesOfBackup> {
    const snapshots = (await listSnapshots(folder)).filter(({ isComplete }) => isComplete)
    const lists = snapshots.toReversed().flatMap(({ listFile }) => {
      try {
        return [FileList.open(listFile)]
      } catch {
        return []
      }
    })
    return new FilesOfBackup(folder, lists)
  }

  [Symbol.dispose](): void {
    for (const list of this.lists) list.close()
  }
}

async function isMended(
  { file }: LostFile,
  blobs: BlobStore,
  { stored, lists }: FilesOfBackup,
): Promise<boolean> {
  for (const content of contentsOf(file, lists)) {
    const copying =
      file.kind === 'blob'
        ? copyBlob(blobs, file.key, stored, content)
        : copyDocument(blobs, file.name, stored, content)
    if (await copying.catch(unlessLost)) return true
  }
  return false
}

/** The backup lacks it, too. */
function unlessLost(error: unknown): false {
  if (isMissing(error) || isDamage(error)) return false
  throw error
}

/** What the snapshots have, newest first: one that was made later may have it damaged. */
function* contentsOf(file: LostFile['file'], lists: readonly FileList[]): Generator<StoredContent> {
  if (file.kind === 'blob' && file.key.encoding === undefined) {
    yield { sha256: file.key.sha256, size: file.size }
    return
  }
  const tried = new Set<string>()
  for (const list of lists) {
    const found = findIn(list, file)
    if (found === null || tried.has(found.sha256)) continue
    tried.add(found.sha256)
    yield found
  }
}

function findIn(list: FileList, file: LostFile['file']): StoredContent | null {
  try {
    return file.kind === 'blob' ? list.find(file.key) : list.findDocument(file.name)
  } catch {
    return null
  }
}

/** Replaces what is there, whatever it is: S3 knows the digest of a damaged file too. */
async function copyBlob(
  target: BlobStore,
  key: BlobKey,
  stored: StoredFiles,
  content: StoredContent,
): Promise<boolean> {
  const staged = await target.stage(stored.read(content), Number.MAX_SAFE_INTEGER)
  try {
    if (staged.sha256 !== content.sha256) return false
    const { accountId, sha256, encoding } = key
    await staged.commit(encoding === undefined ? { accountId } : { accountId, sha256, encoding })
  } finally {
    await staged.discard()
  }
  return (await contentFault(target, key)) === null
}

async function copyDocument(
  target: BlobStore,
  name: string,
  stored: StoredFiles,
  content: StoredContent,
): Promise<boolean> {
  const document = await stored.readAll(content)
  if (document === null) return false
  const isWhole = await parseJson(document).then(
    () => true,
    () => false,
  )
  if (isWhole) await target.writeDocument(name, document)
  return isWhole
}
