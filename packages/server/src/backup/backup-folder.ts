import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { OperatorError } from '../kernel/program/process-lifetime.ts'
import { replaceSecretFile } from '../secrets/key-files.ts'
import { isStoredPath } from './files/stored-files.ts'
import {
  type InstallationIdentity,
  identifySnapshot,
  isSameInstallation,
} from './rows/installation-identity.ts'
import { backupFormat, isSnapshotPath, listSnapshots } from './snapshot-folder.ts'

/** Says that a folder holds backups. Those of older versions have none. */
interface BackupMarker {
  format: number
  /** The id of the installation; missing while its database has none. */
  installation?: string
}

const markerName = 'masthead-backup.json'

/** Besides the snapshots and their files. A new disk has `lost+found`. */
const ownNames = /^(masthead-backup\.json(\.[0-9a-f]{12})?|in-use\.lock(-journal)?|lost\+found)$/

/** Throws unless the folder is new, empty or has backups of this installation. Changes nothing. */
export async function checkBackupFolder(folder: string, installation: InstallationIdentity): Promise<void> {
  const marker = await readMarker(folder)
  if (marker !== null && marker.format > backupFormat)
    throw new OperatorError(
      `The backups in ${folder} were made by a newer version of Masthead. Update this program.`,
    )
  if (marker === null && !(await hasManifest(folder))) {
    const other = await findOther(folder, '')
    if (other !== null)
      throw new OperatorError(
        `${folder} holds something other than backups of Masthead: ${other}. Nothing was changed. ` +
          `Use a folder that is new or empty, such as ${join(folder, 'masthead')}.`,
      )
  }
  if (!(await belongsTo(folder, marker, installation)))
    throw new OperatorError(
      `${folder} holds backups of another installation. Nothing was changed. Use a folder for each installation.`,
    )
}

/** Under the folder's lock: another installation may have begun to use it in the meantime. */
export async function markBackupFolder(folder: string, installation: InstallationIdentity): Promise<void> {
  await checkBackupFolder(folder, installation)
  const known = await readMarker(folder)
  if (known !== null && (known.installation !== undefined || installation.id === null)) return
  const marker: BackupMarker = {
    format: backupFormat,
    ...(installation.id !== null && { installation: installation.id }),
  }
  await replaceSecretFile(join(folder, markerName), `${JSON.stringify(marker)}\n`)
}

/** The id of the installation that uses a folder; null if nobody has said so yet. */
export async function findBackupOwner(folder: string): Promise<string | null> {
  return (await readMarker(folder))?.installation ?? null
}

/** Without the id of both, the rows of all snapshots say it. */
async function belongsTo(
  folder: string,
  marker: BackupMarker | null,
  installation: InstallationIdentity,
): Promise<boolean> {
  const { id } = installation
  if (marker?.installation !== undefined && id !== null) return marker.installation === id
  for (const { isComplete, rowsFile } of await listSnapshots(folder)) {
    const other = isComplete ? await identifySnapshot(rowsFile) : null
    if (other !== null && !isSameInstallation(installation, other)) return false
  }
  return true
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
