import { readKeyRing } from '../secrets/master-key.ts'
import { nodesWithOtherFile } from '../secrets/nodes-keys.ts'
import { rotateMasterKey } from '../secrets/rotate-master-key.ts'
import { withStorage } from './installation.ts'
import { type OperatorCommand, type OperatorIo, readArguments } from './operator-command.ts'
import { exitCodes, runCommand } from './run-command.ts'
import { sealedColumns } from './sealed-columns.ts'

const usage = `Replaces the master key that private keys are sealed with. The server may keep running.

  npx masthead-server rotate-master-key

Run it in the server's folder with the server's settings (MASTHEAD_DATA, DATABASE_URL, MASTHEAD_MASTER_KEY).
It first checks that it can open every value, and changes nothing otherwise. You can interrupt it and run
it again at any time.

If the key is in the data folder, this command creates a new one; master.key keeps the old one until the next
rotation. If the key is in MASTHEAD_MASTER_KEY, rotate it in three steps:
  1. Set MASTHEAD_MASTER_KEY=old,new on every node.
  2. Set MASTHEAD_MASTER_KEY=new,old on every node.
  3. Run this command with new,old. Afterwards you can remove the old key.
It refuses, and names them, if running nodes would not have the new key.
`

function rotate({ settings }: OperatorIo): Promise<string> {
  const config = settings()
  const given = config.masterKey === null ? null : readKeyRing(config.masterKey)
  return withStorage(config, async (storage) => {
    const source = { given, dataFolder: config.dataFolder }
    const { values, keyId } = await rotateMasterKey(storage, source, sealedColumns)
    const others = await nodesWithOtherFile(storage, source)
    if (values === 0 && given?.length === 1) {
      return 'Nothing was changed. Put the new key before the old one, separated by a comma.'
    }
    return [
      `Everything is now sealed with the master key ${keyId} (${values} values were sealed again).`,
      ...others.map(
        (node) => `${node}: unless it is the same file on a shared file system, copy the new one there now.`,
      ),
    ].join('\n')
  })
}

export const rotateMasterKeyCommand: OperatorCommand = {
  name: 'rotate-master-key',
  usage,
  async run(args, io) {
    readArguments(args)
    io.print(await rotate(io))
    return exitCodes.done
  },
}

// Service files and scripts from before there was `masthead-server` run this file itself.
if (import.meta.main)
  process.exitCode = await runCommand(rotateMasterKeyCommand, process.argv.slice(2), process)
