import { OperatorError } from '../kernel/program/process-lifetime.ts'
import { replaceOperatorKey } from '../secrets/operator-key.ts'
import { openSealingKeys } from '../start/open-certificates.ts'
import { withStorage } from './installation.ts'
import { type OperatorCommand, type OperatorIo, readArguments } from './operator-command.ts'
import { exitCodes } from './run-command.ts'

const usage = `Replaces the operator key with a new one. The server may keep running.

  npx masthead-server replace-operator-key

Run it with the server's settings (MASTHEAD_DATA, DATABASE_URL, MASTHEAD_MASTER_KEY). The new key is written to
operator.key in the data folder; with PostgreSQL also to the database, for all nodes. Servers use the old key until
they are restarted.
`

async function replace({ settings, print }: OperatorIo): Promise<void> {
  const config = settings()
  if (config.operatorKey !== null)
    throw new OperatorError(
      'The operator key is set in MASTHEAD_OPERATOR_KEY. Change it there, on every node.',
    )
  await withStorage(config, async (storage) => {
    const sealing = await openSealingKeys(storage, config)
    const path = await replaceOperatorKey({ ...storage, sealing, dataFolder: config.dataFolder })
    print(`The new operator key is in ${path}.`)
    const which = config.databaseUrl === null ? 'the server' : 'every node'
    print(`Restart ${which} to use it: the old key is valid until then.`)
  })
}

export const replaceOperatorKeyCommand: OperatorCommand = {
  name: 'replace-operator-key',
  usage,
  async run(args, io) {
    readArguments(args)
    await replace(io)
    return exitCodes.done
  },
}
