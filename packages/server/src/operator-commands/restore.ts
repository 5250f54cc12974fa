import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { restoreBackup } from '../backup/restore-backup.ts'
import { chooseSnapshot, type SnapshotFolder } from '../backup/snapshot-folder.ts'
import { patientS3Limits } from '../blobs/s3/s3-limits.ts'
import type { Config } from '../config/config.ts'
import { createSecretFile } from '../secrets/key-files.ts'
import { masterKeyPath } from '../secrets/master-key.ts'
import { databaseLocation, openBlobs } from '../start/open-storage.ts'
import { shareBackup, silentLog, takeDataFolder } from './installation.ts'
import { type OperatorCommand, readArguments } from './operator-command.ts'
import { exitCodes } from './run-command.ts'

const usage = `Restores a backup into an empty installation.

  npx masthead-server restore FOLDER [--snapshot NAME]

The current settings say where to: SQLite or PostgreSQL (DATABASE_URL), the data folder (MASTHEAD_DATA) or S3
(MASTHEAD_BLOBS), whatever the backup was made from. An installation is never overwritten. You can interrupt
this and run it again at any time: it goes on where it was. A backup of an older version is brought up to date.

  --snapshot NAME  a folder of FOLDER/snapshots; the newest complete one otherwise
  --start-over     empty a PostgreSQL database that holds an unfinished restore, and begin again
  --leave-damaged  restore even if files of the backup are missing or damaged, also if they already were when
                   it was made
  --use-store      take over a folder or bucket with the files of a database that is gone for good. While its
                   servers run, they and this installation would delete each other's files.

The master key must be the one of the installation that was backed up: MASTHEAD_MASTER_KEY, or master.key in
the data folder.
`

const options = {
  snapshot: { type: 'string' },
  'start-over': { type: 'boolean' },
  'leave-damaged': { type: 'boolean' },
  'use-store': { type: 'boolean' },
} as const

export const restoreCommand: OperatorCommand = {
  name: 'restore',
  usage,
  async run(args, { settings, print, progress }) {
    const { values, words } = readArguments(args, options, ['The folder with the backup'])
    const backup = resolve(words[0] ?? '')
    const config = settings()
    const snapshot = await chooseSnapshot(
      backup,
      typeof values.snapshot === 'string' ? values.snapshot : null,
    )
    const lock = await takeDataFolder(config.dataFolder)
    const reading = shareBackup(backup)
    try {
      await restoreBackup(
        backup,
        snapshot,
        {
          dataFolder: config.dataFolder,
          database: databaseLocation(config),
          blobs: await openBlobs(config, silentLog, patientS3Limits),
        },
        {
          progress,
          startOver: values['start-over'] === true,
          leaveDamaged: values['leave-damaged'] === true,
          useStore: values['use-store'] === true,
        },
      )
      print(`The snapshot ${snapshot.name} has been restored.`)
      for (const line of await restoreMasterKey(snapshot, config)) print(line)
      return exitCodes.done
    } finally {
      reading.release()
      lock.release()
    }
  },
}

/** Never replaces a key. */
async function restoreMasterKey(
  { masterKeyFile }: SnapshotFolder,
  { masterKey, dataFolder }: Pick<Config, 'masterKey' | 'dataFolder'>,
): Promise<string[]> {
  const path = masterKeyPath(dataFolder)
  if (masterKey !== null) return ['The server will use the master key of MASTHEAD_MASTER_KEY. Start it now.']
  if (existsSync(path)) return [`The server will use the master key in ${path}. Start it now.`]
  if (!existsSync(masterKeyFile))
    return [`Before you start the server, put its master key into ${path}, or set MASTHEAD_MASTER_KEY.`]
  await createSecretFile(path, await readFile(masterKeyFile, 'utf8'))
  return [`The master key was in the backup and is now in ${path}. Start the server now.`]
}
