import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { filesInStore, moveInstallation } from '../backup/move-installation.ts'
import type { BlobStore } from '../blobs/blob-store.ts'
import { createFileStore } from '../blobs/files/file-store.ts'
import { patientS3Limits } from '../blobs/s3/s3-limits.ts'
import type { Config } from '../config/config.ts'
import { openDatabase } from '../database/database.ts'
import { OperatorError } from '../kernel/program/process-lifetime.ts'
import { masterKeyPath } from '../secrets/master-key.ts'
import { databaseLocation, openBlobs } from '../start/open-storage.ts'
import { wrongStore } from '../store-check/compare.ts'
import { matchStore } from '../store-check/join.ts'
import { checkDataFolder, databaseFile, silentLog, takeDataFolder } from './installation.ts'
import { type OperatorCommand, type OperatorIo, readArguments, UsageError } from './operator-command.ts'
import { exitCodes } from './run-command.ts'

const usage = `Moves this installation from SQLite to PostgreSQL, and its files to S3 or another folder.

  npx masthead-server move --to postgres://user:password@host/database [--blobs s3://bucket/prefix]

Stop the server first. Run this in its folder with its settings. The database must be empty: an installation
is never overwritten. You can interrupt this and run it again at any time: it goes on where it was, and no
server starts on the new database before everything is there. At the end every table is compared by its rows
and every file by its digest, and you are told which settings to change.

  --to             the new database
  --blobs          where files go: s3://bucket/prefix, with the settings of S3, or a folder.
                   Without it they stay where they are.
  --start-over     empty a database that holds an unfinished move, and begin again
  --leave-damaged  move even if files are missing or damaged
  --use-store      with --blobs: take over a place that has the files of a database that is gone for good

Nothing is removed from the old data folder.
`

const options = {
  to: { type: 'string' },
  blobs: { type: 'string' },
  'start-over': { type: 'boolean' },
  'leave-damaged': { type: 'boolean' },
  'use-store': { type: 'boolean' },
} as const

async function move(args: readonly string[], { settings, print, progress }: OperatorIo): Promise<void> {
  const { values } = readArguments(args, options)
  const { to } = values
  if (typeof to !== 'string') throw new UsageError('--to is missing: the address of the new database.')
  const source = settings()
  if (source.databaseUrl !== null)
    throw new OperatorError(
      'DATABASE_URL is set, so this installation is on PostgreSQL already. To move it, use backup and restore.',
    )
  const blobs = typeof values.blobs === 'string' ? values.blobs : null
  const bucket = blobs !== null && isBucket(blobs) ? { MASTHEAD_BLOBS: blobs } : {}
  const target = settings({ DATABASE_URL: to, ...bucket })
  checkDataFolder(source)
  if (!existsSync(databaseFile(source)))
    throw new OperatorError(
      `There is no database in ${source.dataFolder}. Run this with the server's settings.`,
    )
  const lock = await takeDataFolder(source.dataFolder)
  try {
    const from = await openBlobs(source, silentLog, patientS3Limits)
    const database = await openDatabase(databaseLocation(source), silentLog)
    const match = await matchStore(database.read, from).finally(() => database.close())
    if (match === 'missing' || match === 'other') throw wrongStore(match, source)
    const moved = await moveInstallation(
      {
        databaseFile: databaseFile(source),
        files: filesInStore(from),
      },
      target.databaseUrl ?? to,
      await openTarget(blobs, target),
      {
        progress,
        startOver: values['start-over'] === true,
        leaveDamaged: values['leave-damaged'] === true,
        useStore: values['use-store'] === true,
      },
    )
    print(
      `Everything has been moved: ${moved.rows.toLocaleString('en-US')} rows of ${moved.tables} tables are equal.`,
    )
    for (const line of nextSteps(source, blobs)) print(line)
  } finally {
    lock.release()
  }
}

/** Null if files stay where they are. */
async function openTarget(blobs: string | null, target: Config): Promise<BlobStore | null> {
  if (blobs === null) return null
  return isBucket(blobs) ? openBlobs(target, silentLog, patientS3Limits) : createFileStore(resolve(blobs))
}

function isBucket(blobs: string): boolean {
  return blobs.startsWith('s3:')
}

/** Without secrets: output ends up in logs and tickets. */
function nextSteps({ dataFolder, masterKey, operatorKey, s3 }: Config, blobs: string | null): string[] {
  const set = ['  DATABASE_URL              the address you gave with --to']
  if (blobs !== null && isBucket(blobs)) set.push(`  MASTHEAD_BLOBS            ${blobs}`)
  if (masterKey === null) set.push(`  MASTHEAD_MASTER_KEY       the content of ${masterKeyPath(dataFolder)}`)
  if (operatorKey === null)
    set.push(`  MASTHEAD_OPERATOR_KEY     the content of ${join(dataFolder, 'operator.key')}`)
  return [
    '',
    'Now set on every node, and start:',
    ...set,
    '',
    whereFilesAre(blobs, s3 === null ? join(dataFolder, 'blobs') : null),
    `The old installation is still in ${dataFolder}. Do not start it again. Remove it when the new one works.`,
  ]
}

function whereFilesAre(blobs: string | null, folder: string | null): string {
  if (blobs !== null && isBucket(blobs)) return 'Nodes need no data folder of their own any more.'
  const shared = blobs ?? folder
  return shared === null
    ? 'The files stay in S3.'
    : `The files are in ${shared}. Every node needs them as the folder "blobs" in its MASTHEAD_DATA.`
}

export const moveCommand: OperatorCommand = {
  name: 'move',
  usage,
  async run(args, io) {
    await move(args, io)
    return exitCodes.done
  },
}
