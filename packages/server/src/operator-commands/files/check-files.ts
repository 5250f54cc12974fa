import { resolve } from 'node:path'
import { shortList, shownFaults } from '../../backup/files/copy-all-files.ts'
import {
  type CheckedAccount,
  checkAllFiles,
  countDocuments,
} from '../../backup/lost-files/check-all-files.ts'
import { type LostFile, pathOfLost } from '../../backup/lost-files/lost-file.ts'
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
      const found = new Findings()
      for await (const account of checkAllFiles({ database, blobs, progress }, from)) found.add(account)
      if (found.mended > 0)
        print(`${counted(found.mended)} copied from the backup. Restart the server if it runs.`)
      for (const line of found.lost === 0 ? ['Every file is there and undamaged.'] : found.explain(from))
        print(line)
      return found.lost === 0 ? exitCodes.done : exitCodes.failed
    } finally {
      await database.close()
    }
  } finally {
    reading?.release()
    use.release()
  }
}

function counted(files: number): string {
  return files === 1 ? 'One file was' : `${files} files were`
}

/** However many files are lost, only the first are kept to be named. */
class Findings {
  mended = 0
  lost = 0
  #documents = 0
  readonly #first: string[] = []
  readonly #projects = new Set<string>()

  add({ mended, left }: CheckedAccount): void {
    // Uploads bring the others again if they need them.
    const needed = left.filter(({ usedBy }) => usedBy.size > 0)
    this.mended += mended
    this.lost += needed.length
    this.#documents += countDocuments(needed)
    for (const one of needed) {
      if (this.#first.length < shownFaults)
        this.#first.push(`  ${pathOfLost(one)} is ${one.fault}${uses(one)}`)
      for (const slug of one.usedBy.keys()) this.#projects.add(slug)
    }
  }

  explain(from: string | null): string[] {
    return [
      this.lost === 1 ? 'One file is missing or damaged:' : `${this.lost} files are missing or damaged:`,
      ...shortList(this.#first, this.lost),
      `Publish these projects again, also if nothing has changed in them: ${[...this.#projects].sort().join(', ')}.`,
      ...(this.#documents === 0
        ? []
        : ['A deployment without its manifest or rules stays broken: delete it once another one is live.']),
      ...(from === null ? ['If you have a backup, run this again with --from FOLDER first.'] : []),
    ]
  }
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
