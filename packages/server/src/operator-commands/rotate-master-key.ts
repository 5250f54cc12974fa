import { existsSync } from 'node:fs'
import { sealedColumns } from '../certificates/sealed-columns.ts'
import { ConfigError, readConfig } from '../config/config.ts'
import { MasterKeyError, readKeyRing } from '../secrets/master-key.ts'
import { rotateMasterKey } from '../secrets/rotate-master-key.ts'
import { SealingError } from '../secrets/sealing.ts'
import { openStorage } from '../start/open-storage.ts'
import { runOperatorCommand } from './run-command.ts'

const usage = `Changes the master key that private keys are stored under, while the server runs.

  npx node packages/server/src/operator-commands/rotate-master-key.ts

Run it in the server's folder and with its settings (MASTHEAD_DATA, DATABASE_URL, MASTHEAD_MASTER_KEY).
Everything is looked at first: where a value cannot be opened, nothing is changed. It can be interrupted
and run again at any time.

A key in the data folder is replaced by a new one; master.key holds the old one too until the next time.
A key given by MASTHEAD_MASTER_KEY is changed in three steps:
  1. MASTHEAD_MASTER_KEY=old,new on every node
  2. MASTHEAD_MASTER_KEY=new,old on every node
  3. this command, with new,old; afterwards the old one can be left out.
`

async function rotate(): Promise<string> {
  const config = readConfig()
  if (!existsSync(config.dataFolder)) {
    throw new MasterKeyError(
      `There is no folder ${config.dataFolder}. Run this with the settings of the server.`,
    )
  }
  const given = config.masterKey === null ? null : readKeyRing(config.masterKey)
  const storage = await openStorage(config, { warn: () => {} })
  try {
    const source = { given, dataFolder: config.dataFolder }
    const { values, keyId } = await rotateMasterKey(storage, source, sealedColumns)
    if (values === 0 && given?.length === 1) {
      return 'Nothing was changed: put the new key before the old one, with a comma between.'
    }
    return `Everything is sealed under the master key ${keyId} now (${values} values were sealed anew).`
  } finally {
    await storage.close()
  }
}

await runOperatorCommand({ usage, run: rotate, faultsInWords: [MasterKeyError, SealingError, ConfigError] })
