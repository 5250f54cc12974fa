import { existsSync } from 'node:fs'
import { AccountKeyError, changeAccountKey } from '../certificates/acme-account/change-account-key.ts'
import { ConfigError, readConfig } from '../config/config.ts'
import { MasterKeyError } from '../secrets/master-key.ts'
import { SealingError } from '../secrets/sealing.ts'
import { openAcme, openSealingKeys } from '../start/open-certificates.ts'
import { openStorage } from '../start/open-storage.ts'
import { runOperatorCommand } from './run-command.ts'

const usage = `Changes the key of the server's account at the certificate authority, while the server runs.

  npx node packages/server/src/operator-commands/change-account-key.ts

Run it in the server's folder and with its settings (MASTHEAD_DATA, DATABASE_URL, MASTHEAD_MASTER_KEY,
MASTHEAD_CA and what goes with it). It can be interrupted and run again at any time.
`

async function change(): Promise<string> {
  const config = readConfig()
  if (!existsSync(config.dataFolder)) {
    throw new AccountKeyError(
      `There is no folder ${config.dataFolder}. Run this with the settings of the server.`,
    )
  }
  const storage = await openStorage(config, { warn: () => {} })
  try {
    const acme = await openAcme(config, storage.now)
    if (acme === null) throw new AccountKeyError('The internal CA has no accounts.')
    const sealing = await openSealingKeys(storage, config)
    await changeAccountKey({ ...storage, sealing }, acme.client, acme.authority)
    return `The account at ${acme.authority.title} has another key now.`
  } finally {
    await storage.close()
  }
}

await runOperatorCommand({
  usage,
  run: change,
  faultsInWords: [AccountKeyError, MasterKeyError, SealingError, ConfigError],
})
