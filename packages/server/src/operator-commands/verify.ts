import { resolve } from 'node:path'
import { chooseSnapshot, findWithoutLosses, listSnapshots } from '../backup/snapshot-folder.ts'
import { verifyBackup } from '../backup/verify-backup.ts'
import { shareBackup } from './installation.ts'
import { type OperatorCommand, readArguments } from './operator-command.ts'
import { exitCodes } from './run-command.ts'

const usage = `Checks that a backup is complete and undamaged: every table's rows and every file's content.

  npx masthead-server verify FOLDER [--snapshot NAME]

  --snapshot NAME  a folder of FOLDER/snapshots; the newest complete one otherwise

Prints what is wrong, and exits with 1 if anything is. It needs no settings and no server.
`

export const verifyCommand: OperatorCommand = {
  name: 'verify',
  usage,
  async run(args, { print, progress }) {
    const { values, words } = readArguments(args, { snapshot: { type: 'string' } }, [
      'The folder with the backup',
    ])
    const backup = resolve(words[0] ?? '')
    const snapshot = await chooseSnapshot(
      backup,
      typeof values.snapshot === 'string' ? values.snapshot : null,
    )
    const lock = shareBackup(backup)
    const faults = await verifyBackup(backup, snapshot, progress).finally(() => lock.release())
    if (faults.length > 0) {
      print(`The snapshot ${snapshot.name} is not usable as it is:`)
      for (const fault of faults) print(`  ${fault}`)
      print(
        'Run masthead-server backup with --check: it makes a new snapshot, and copies missing and damaged files',
      )
      print('again, as long as the installation has them.')
      const { lost } = await snapshot.readManifest()
      const whole = lost.length > 0 ? await findWithoutLosses(backup) : null
      if (whole !== null) print(`The newest snapshot that was made with all files is ${whole.name}.`)
      return exitCodes.failed
    }
    const newest = (await listSnapshots(backup)).at(-1)
    if (newest !== undefined && !newest.isComplete)
      print('A later backup was interrupted. Run masthead-server backup again to finish it.')
    const { createdAt } = await snapshot.readManifest()
    print(`The snapshot ${snapshot.name} of ${createdAt} is complete.`)
    return exitCodes.done
  },
}
