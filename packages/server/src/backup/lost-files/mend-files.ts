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
  progress: ProgressReport
}

const atOnce = 16

/** Copies lost files from a backup, if there is one, and lets uploads bring the others again, which it returns. */
export async function mendFiles(
  { database, blobs, progress }: Parts,
  { lost, back }: CheckedFiles,
  backup: string | null,
): Promise<LostFile[]> {
  const mended = backup === null ? new Set<LostFile>() : await copyFrom(backup, lost, { blobs, progress })
  const left = lost.filter((one) => !mended.has(one))
  const stillLost = digestsByAccount(left)
  for (const [accountId, digests] of stillLost) await markLost(database, accountId, [...digests])
  const found = digestsByAccount([...mended])
  for (const { accountId, sha256 } of back) add(found, accountId, sha256)
  for (const [accountId, digests] of found) {
    const others = stillLost.get(accountId) ?? new Set()
    await markFound(database, accountId, [...digests.difference(others)])
  }
  return left
}

type Digests = Map<Id<'account'>, Set<string>>

function digestsByAccount(files: readonly LostFile[]): Digests {
  const digests: Digests = new Map()
  for (const { accountId, file } of files) if (file.kind === 'blob') add(digests, accountId, file.key.sha256)
  return digests
}

function add(digests: Digests, accountId: Id<'account'>, sha256: string): void {
  const known = digests.get(accountId) ?? new Set()
  digests.set(accountId, known.add(sha256))
}

/** Returns those that are whole again. */
async function copyFrom(
  backup: string,
  lost: readonly LostFile[],
  { blobs, progress }: Pick<Parts, 'blobs' | 'progress'>,
): Promise<Set<LostFile>> {
  const stored = new StoredFiles(join(backup, 'files'))
  const lists = await openLists(backup)
  const mended = new Set<LostFile>()
  const step = progress.begin({ title: 'Copying files', unit: 'files', total: lost.length })
  try {
    await forEachConcurrently(lost, atOnce, async (one) => {
      if (await isMended(one, { stored, lists, blobs })) mended.add(one)
      step.advance(1)
    })
  } finally {
    for (const list of lists) list.close()
  }
  step.end()
  return mended
}

/** Newest first. One that cannot be read is passed over. */
async function openLists(backup: string): Promise<FileList[]> {
  const snapshots = (await listSnapshots(backup)).filter(({ isComplete }) => isComplete)
  return snapshots.toReversed().flatMap(({ listFile }) => {
    try {
      return [FileList.open(listFile)]
    } catch {
      return []
    }
  })
}

interface Copying {
  stored: StoredFiles
  lists: readonly FileList[]
  blobs: BlobStore
}

async function isMended({ file }: LostFile, { stored, lists, blobs }: Copying): Promise<boolean> {
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
