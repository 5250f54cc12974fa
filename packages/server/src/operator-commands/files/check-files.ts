import { resolve } from 'node:path'
import { shortList } from '../../backup/files/copy-all-files.ts'
import { findLostFiles } from '../../backup/lost-files/find-lost-files.ts'
import { type LostFile, pathOfLost } from '../../backup/lost-files/lost-file.ts'
import { mendFiles } from '../../backup/lost-files/mend-files.ts'
import { chooseSnapshot } from '../../backup/snapshot-folder.ts'
import { patientS3Limits } from '../../blobs/s3/s3-limits.ts'
import { shareDataFolder } from '../../database/data-folder-lock.ts'
import { openDatabase } from '../../database/database.ts'
import { databaseLocation, openBlobs } from '../../start/open-storage.ts'
import { wrongStore } from '../../store-check/compare.ts'
import { matchStore } from '../../store-check/join.ts'
import { checkDataFolder, refuseAsRoot, shareBackup, silentLog } from '../installation.ts'
import { type OperatorCommand, type OperatorIo, readArguments } from '../operator-command.ts'
import { exitCodes } from '../run-command.ts'

const usage = `Finds files of sites that are missing or damaged. The server may keep running.

  npx masthead-server check-files [--from FOLDER]

Run it with the server's settings. It reads every file, and names those that are missing or damaged with the
projects that need them. Nothing is deleted. Publishing a site stores only files that are not there yet; from now
on these count as not there, so publishing the same site again mends it.

  --from FOLDER  copy them from the backups in this folder instead, as far as these have them

It exits with 1 if files are still missing or damaged.
`

async function check({ settings, print, progress }: OperatorIo, from: string | null): Promise<number> {
  const config = settings()
  checkDataFolder(config)
  // Or a misspelt path would be a backup that has nothing.
  if (from !== null) await chooseSnapshot(from, null)
  refuseAsRoot(config.dataFolder)
  const use = shareDataFolder(config.dataFolder)
  const reading = from === null ? null : shareBackup(from)
  try {
    const blobs = await openBlobs(config, silentLog, patientS3Limits)
    const database = await openDatabase(databaseLocation(config), silentLog)
    try {
      const match = await matchStore(database.read, blobs)
      if (match === 'missing' || match === 'other') throw wrongStore(match, config)
      const { mended, left } = await mendAll()
      if (mended > 0) print(`${counted(mended)} copied from the backup. Restart the server if it runs.`)
      // Uploads bring the others again if they need them.
      const needed = left.filter(({ usedBy }) => usedBy.size > 0)
      for (const line of needed.length === 0 ? ['Every file is there and undamaged.'] : explain(needed, from))
        print(line)
      return needed.length === 0 ? exitCodes.done : exitCodes.failed

      /** A manifest that is back names further files. */
      async function mendAll(): Promise<{ mended: number; left: LostFile[] }> {
        const found = await findLostFiles({ database, blobs, progress })
        const left = await mendFiles({ database, blobs, progress }, found, from)
        const mended = found.lost.length - left.length
        if (countDocuments(left) === countDocuments(found.lost)) return { mended, left }
        const next = await mendAll()
        return { ...next, mended: next.mended + mended }
      }
    } finally {
      await database.close()
    }
  } finally {
    reading?.release()
    use.release()
  }
}

function countDocuments(lost: readonly LostFile[]): number {
  return lost.filter(({ file }) => file.kind === 'document').length
}

function counted(files: number): string {
  return files === 1 ? 'One file was' : `${files} files were`
}

function explain(lost: readonly LostFile[], from: string | null): string[] {
  const used = lost.flatMap(({ usedBy }) => [...usedBy.keys()])
  const projects = [...new Set(used)].sort()
  return [
    lost.length === 1 ? 'One file is missing or damaged:' : `${lost.length} files are missing or damaged:`,
    ...shortList(lost.map((one) => `  ${pathOfLost(one)} is ${one.fault}${uses(one)}`)),
    `Publish these projects again, also if nothing has changed in them: ${projects.join(', ')}.`,
    ...(countDocuments(lost) === 0
      ? []
      : ['A deployment without its manifest or rules stays broken: delete it once another one is live.']),
    ...(from === null ? ['If you have a backup, run this again with --from FOLDER first.'] : []),
  ]
}

function uses({ usedBy }: LostFile): string {
  return `: ${[...usedBy].map(([slug, path]) => (path === null ? slug : `${path} of ${slug}`)).join(', ')}`
}

export const checkFilesCommand: OperatorCommand = {
  name: 'check-files',
  usage,
  async run(args, io) {
    const { values } = readArguments(args, { from: { type: 'string' } })
    return check(io, typeof values.from === 'string' ? resolve(values.from) : null)
  },
}
