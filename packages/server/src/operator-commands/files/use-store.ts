import { patientS3Limits } from '../../blobs/s3/s3-limits.ts'
import { openDatabase } from '../../database/database.ts'
import { countRunningProcesses } from '../../database/migrate/live-versions.ts'
import { systemClock } from '../../kernel/clock.ts'
import { OperatorError } from '../../kernel/program/process-lifetime.ts'
import { databaseLocation, openBlobs } from '../../start/open-storage.ts'
import { takeStore } from '../../store-check/join.ts'
import { checkDataFolder, silentLog, takeDataFolder } from '../installation.ts'
import { type OperatorCommand, type OperatorIo, readArguments } from '../operator-command.ts'
import { exitCodes } from '../run-command.ts'

const usage = `Lets the database go on with the files that the settings lead to.

  npx masthead-server use-store

A server refuses to start with the files of another database, or without those of its own. This accepts the folder
(MASTHEAD_DATA) or bucket (MASTHEAD_BLOBS) as it is: after its files were lost, or if the database that used it is
gone. Stop every node first, and run this with the settings that all of them will have.

Files that are not there stay missing, and their addresses answer 503: run masthead-server check-files afterwards.
Restore a backup instead if you have one.
`

async function use({ settings, print }: OperatorIo): Promise<void> {
  const config = settings()
  checkDataFolder(config)
  const lock = await takeDataFolder(config.dataFolder)
  try {
    const store = await openBlobs(config, silentLog, patientS3Limits)
    const database = await openDatabase(databaseLocation(config), silentLog)
    try {
      // One of them is this command.
      const others = (await countRunningProcesses(database.read, database.dialect)) - 1
      if (others > 0)
        throw new OperatorError(
          'Servers are running on this database. Stop every node and run this again; after a crash, wait a minute.',
        )
      await takeStore({ database, now: systemClock }, store)
    } finally {
      await database.close()
    }
    const { s3, dataFolder } = config
    const place = s3 === null ? `${dataFolder}/blobs` : `s3://${s3.bucket}/${s3.prefix}`
    print(`This database now uses the files in ${place}. A server with other settings will not start.`)
    print('If files may be missing there, run: npx masthead-server check-files')
  } finally {
    lock.release()
  }
}

export const useStoreCommand: OperatorCommand = {
  name: 'use-store',
  usage,
  async run(args, io) {
    readArguments(args)
    await use(io)
    return exitCodes.done
  },
}
