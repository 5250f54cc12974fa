import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { FileList } from './files/file-list.ts'
import { StoredFiles } from './files/stored-files.ts'
import { listSnapshots, type SnapshotFolder } from './snapshot-folder.ts'

/** Of interrupted snapshots, only the newest list of files is of use: its compressed forms need not be read again. */
export async function clearInterrupted(folder: string): Promise<void> {
  const interrupted = (await listSnapshots(folder)).filter(({ isComplete }) => !isComplete)
  for (const snapshot of interrupted.slice(0, -1)) await snapshot.remove()
  await interrupted.at(-1)?.removeRows()
}

/**
 * Removes interrupted snapshots, complete ones beyond the newest `keep`, and the files that only they used. One that
 * somebody renamed stays, and so does the one that was just made, also if another machine's clock is ahead. Returns the
 * snapshots whose list of files cannot be read: what they need is unknown, so no file is removed.
 */
export async function pruneBackup(
  folder: string,
  { keep, made }: { keep: number | null; made: string },
): Promise<SnapshotFolder[]> {
  const snapshots = await listSnapshots(folder)
  const complete = snapshots.filter(({ isComplete }) => isComplete)
  const newest = complete.slice(-(keep ?? complete.length))
  const kept = complete.filter((one) => newest.includes(one) || !one.hasTimeName || one.name === made)
  for (const snapshot of snapshots) if (!kept.includes(snapshot)) await snapshot.remove()
  const files = join(folder, 'files')
  if (!existsSync(files)) return []
  const lists = kept.map((snapshot) => ({ snapshot, list: openList(snapshot) }))
  const unreadable = new Set(lists.flatMap(({ snapshot, list }) => (list === null ? [snapshot] : [])))
  try {
    if (unreadable.size === 0) await new StoredFiles(files).prune((sha256) => lists.some(uses(sha256)))
  } finally {
    for (const { list } of lists) list?.close()
  }
  return [...unreadable]

  function uses(sha256: string) {
    return ({ snapshot, list }: (typeof lists)[number]): boolean => {
      try {
        return list?.uses(sha256) !== false
      } catch {
        unreadable.add(snapshot)
        return true
      }
    }
  }
}

function openList({ listFile }: SnapshotFolder): FileList | null {
  try {
    return FileList.open(listFile)
  } catch {
    return null
  }
}
