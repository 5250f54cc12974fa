import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { formatBytes } from '@masthead/contract/text/byte-size.ts'
import { totalRows } from '../backup/rows/table-digest.ts'
import type { SnapshotManifest } from '../backup/snapshot-folder.ts'
import { takeBackup } from '../backup/take-backup.ts'
import { patientS3Limits } from '../blobs/s3/s3-limits.ts'
import type { Config } from '../config/config.ts'
import { shareDataFolder } from '../database/data-folder-lock.ts'
import { packageVersion } from '../kernel/program/own-files.ts'
import { OperatorError } from '../kernel/program/process-lifetime.ts'
import { masterKeyPath, readMasterKeyFile } from '../secrets/master-key.ts'
import { databaseLocation, openBlobs, openDataFolder } from '../start/open-storage.ts'
import { checkDataFolder, silentLog } from './installation.ts'
import { type OperatorCommand, readArguments, UsageError } from './operator-command.ts'
import { exitCodes } from './run-command.ts'

const usage = `Backs up the database and the files of this installation. The server may keep running.

  npx masthead-server backup FOLDER [--keep N] [--check] [--with-master-key]

Run it with the server's settings. FOLDER must be new, empty, or have earlier backups in it. Each run adds a
snapshot: the rows of one moment and every file that they name. Snapshots in one folder share their files, so
only new files are copied. You can interrupt it at any time: the next run keeps what was copied. Check a backup
with: npx masthead-server verify FOLDER

  --keep N            remove all but the newest N complete snapshots
  --check             read the files of earlier backups too, and copy those again that are damaged
  --with-master-key   include the master key. Anyone with such a backup can read every private key in it.

Without the master key a backup cannot be used, so keep a copy of the key in another place. Your settings
are not in it, nor is the operator key of an installation on SQLite; on PostgreSQL it is, sealed.
`

const options = {
  keep: { type: 'string' },
  check: { type: 'boolean' },
  'with-master-key': { type: 'boolean' },
} as const

export const backupCommand: OperatorCommand = {
  name: 'backup',
  usage,
  async run(args, { settings, print, progress }) {
    const { values, words } = readArguments(args, options, ['The folder for backups'])
    const keep = readKeep(values.keep)
    const folder = resolve(words[0] ?? '')
    const config = settings()
    // On PostgreSQL a node's own folder may be empty or new.
    if (config.databaseUrl === null) checkDataFolder(config)
    await openDataFolder(config.dataFolder, silentLog)
    const use = shareDataFolder(config.dataFolder)
    try {
      const masterKey = values['with-master-key'] === true ? await readMasterKey(config) : null
      const { name, manifest, added, unreadable } = await takeBackup({
        folder,
        database: databaseLocation(config),
        blobs: await openBlobs(config, silentLog, patientS3Limits),
        version: await packageVersion(),
        masterKey,
        check: values.check === true,
        keep,
        progress,
      })
      print(`The backup is complete: ${join(folder, 'snapshots', name)}`)
      for (const line of summary(manifest, added)) print(line)
      for (const { listFile, path } of unreadable) print(damageText(listFile, path))
      return manifest.lost.length === 0 && unreadable.length === 0 ? exitCodes.done : exitCodes.failed
    } finally {
      use.release()
    }
  },
}

function damageText(listFile: string, path: string): string {
  return (
    `An earlier snapshot is damaged: ${listFile} cannot be read. It cannot be restored, and no file that older ` +
    `snapshots left behind was removed. Delete the folder ${path}.`
  )
}

function readKeep(text: string | boolean | undefined): number | null {
  if (text === undefined) return null
  const keep = Number(text)
  if (Number.isInteger(keep) && keep >= 1) return keep
  throw new UsageError('--keep needs a number of snapshots, at least 1.')
}

async function readMasterKey({ masterKey, dataFolder }: Config): Promise<string> {
  if (masterKey !== null) return `${masterKey.split(',').join('\n')}\n`
  const path = masterKeyPath(dataFolder)
  if (readMasterKeyFile(path) === null) throw new OperatorError(`There is no master key in ${path}.`)
  return readFile(path, 'utf8')
}

function summary(
  { tables, files, lost, hasMasterKey }: SnapshotManifest,
  added: { files: number; bytes: number },
): string[] {
  const number = (n: number) => n.toLocaleString('en-US')
  return [
    `It has ${number(totalRows(tables))} rows and ${number(files.count)} files (${formatBytes(files.bytes)}). ` +
      `New since earlier backups: ${number(added.files)} (${formatBytes(added.bytes)}).`,
    hasMasterKey
      ? 'It includes the master key: keep it as safe as the server itself.'
      : 'The master key is not in it. Keep a copy of the key in another place: a backup cannot be used without it.',
    ...(lost.length === 0
      ? []
      : ['These files of the installation are missing or damaged, so they are not in it:', ...lost]),
  ]
}
