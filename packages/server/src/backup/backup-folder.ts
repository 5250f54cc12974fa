import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { OperatorError } from '../kernel/program/process-lifetime.ts'
import { replaceSecretFile } from '../secrets/key-files.ts'
import { isStoredPath } from './files/stored-files.ts'
import { backupFormat, isSnapshotPath, listSnapshots } from './snapshot-folder.ts'

/** Says that a folder holds backups. Those of older versions have none. */
interface BackupMarker {
  format: number
}

const markerName = 'masthead-backup.json'

/** Besides the snapshots and their files. A new disk has `lost+found`. */
const ownNames = /^(masthead-backup\.json(\.[0-9a-f]{12})?|in-use\.lock(-journal)?|lost\+found)$/

/** Throws unless the folder is new, empty or one of ours. Changes nothing. */
export async function checkBackupFolder(folder: string): Promise<void> {
  const marker = await readMarker(folder)
  if (marker !== null && marker.format > backupFormat)
    throw new OperatorError(
      `The backups in ${folder} were made by a newer version of Masthead. Update this program.`,
    )
  if (marker !== null || (await hasManifest(folder))) return
  const other = await findOther(folder, '')
  if (other === null) return
  throw new OperatorError(
    `${folder} holds something other than backups of Masthead: ${other}. Nothing was changed. ` +
      `Use a folder that is new or empty, such as ${join(folder, 'masthead')}.`,
  )
}

export async function markBackupFolder(folder: string): Promise<void> {
  if ((await readMarker(folder)) !== null) return
  const marker: BackupMarker = { format: backupFormat }
  await replaceSecretFile(join(folder, markerName), `${JSON.stringify(marker)}\n`)
}

/** Null if there is none, or none that can be read. */
async function readMarker(folder: string): Promise<BackupMarker | null> {
  try {
    const marker = JSON.parse(await readFile(join(folder, markerName), 'utf8')) as BackupMarker
    return Number.isInteger(marker.format) ? marker : null
  } catch {
    return null
  }
}

async function hasManifest(folder: string): Promise<boolean> {
  for (const snapshot of await listSnapshots(folder)) if (await snapshot.hasManifest()) return true
  return false
}

/** The path of something that no backup writes, relative to the folder. */
async function findOther(folder: string, parent: string): Promise<string | null> {
  for (const name of await namesIn(join(folder, parent))) {
    const path = join(parent, name)
    if (ownNames.test(path)) continue
    const isFolder = (await stat(join(folder, path))).isDirectory()
    if (isFolder !== path.split('/').length < 3) return path
    if (!isSnapshotPath(path) && !isStoredPath(path)) return path
    const other = isFolder ? await findOther(folder, path) : null
    if (other !== null) return other
  }
  return null
}

/** Creating the folder explains why it cannot be read. */
async function namesIn(folder: string): Promise<string[]> {
  try {
    return (await readdir(folder)).sort()
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'EACCES'].includes((error as NodeJS.ErrnoException).code ?? '')) return []
    throw error
  }
}
