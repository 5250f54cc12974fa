import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { FileList } from './files/file-list.ts'
import { StoredFiles } from './files/stored-files.ts'
import { listSnapshots } from './snapshot-folder.ts'

/**
 * Removes interrupted snapshots, complete ones beyond the newest `keep`, and the files that only they used. One that
 * somebody renamed stays.
 */
export async function pruneBackup(folder: string, keep: number | null): Promise<void> {
  const snapshots = await listSnapshots(folder)
  const complete = snapshots.filter(({ isComplete }) => isComplete)
  const renamed = complete.filter(({ hasTimeName }) => !hasTimeName)
  const kept = keep === null ? complete : [...renamed, ...complete.slice(renamed.length).slice(-keep)]
  for (const snapshot of snapshots) if (!kept.includes(snapshot)) await snapshot.remove()
  const files = join(folder, 'files')
  if (!existsSync(files)) return
  const lists = kept.map(({ listFile }) => FileList.open(listFile))
  try {
    await new StoredFiles(files).prune((sha256) => lists.some((list) => list.uses(sha256)))
  } finally {
    for (const list of lists) list.close()
  }
}
