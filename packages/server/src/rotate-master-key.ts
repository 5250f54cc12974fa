import { MasterKeyError, readKeyRing } from './certificates/master-key.ts'
import { rotateMasterKey } from './certificates/rotate-master-key.ts'
import { ConfigError, readConfig } from './config.ts'
import { openStorage } from './open-storage.ts'

/**
 * Changes the master key, with the settings of the server and while it runs. A key of the data folder is replaced by
 * a new one. A given one is changed in three steps: MASTHEAD_MASTER_KEY=old,new on every node, then new,old, then
 * this command; afterwards the old one can be left out.
 */
async function rotate(): Promise<string> {
  const config = readConfig()
  const given = config.masterKey === null ? null : readKeyRing(config.masterKey)
  const storage = await openStorage(config, { warn: () => {} })
  try {
    const source = { given, dataFolder: config.dataFolder }
    const { values, keyId } = await rotateMasterKey(storage, source)
    if (values === 0 && given?.length === 1) {
      return 'Nothing was changed: put the new key before the old one, with a comma between.'
    }
    return `Everything is sealed under the master key ${keyId} now (${values} values were sealed anew).`
  } finally {
    await storage.close()
  }
}

try {
  process.stdout.write(`${await rotate()}\n`)
} catch (error) {
  const isKnown = error instanceof MasterKeyError || error instanceof ConfigError
  process.stderr.write(`${isKnown ? error.message : error instanceof Error ? error.stack : error}\n`)
  process.exitCode = 1
}
