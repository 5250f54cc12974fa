import type { Context } from '../database/context.ts'
import { type Database, lock } from '../database/database.ts'
import {
  type KeyRing,
  MasterKeyError,
  masterKeyPath,
  newMasterKey,
  readMasterKeyFile,
  replaceMasterKeyFile,
} from './master-key.ts'
import { type MasterKeySource, openSealing } from './open-sealing.ts'
import { checkOpens, resealAll } from './reseal.ts'
import { findMasterKeyCheck, replaceMasterKeyCheck } from './sealed-store.ts'
import { purposes } from './sealed-values.ts'
import { createSealing, keyId, keyIdOf } from './sealing.ts'

export interface Rotated {
  /** How many values were sealed anew. */
  values: number
  keyId: string
}

/**
 * Seals everything anew, while the server runs. A key that was given is changed by giving another one before it; the
 * one in the file by making a new one. The file holds both from before the first value is sealed anew until the next
 * rotation, so it opens everything wherever this is interrupted. The value that tells which key is in use comes last:
 * until then, whoever rotates goes on with what was begun.
 */
export async function rotateMasterKey(
  { database }: Pick<Context, 'database'>,
  source: MasterKeySource,
): Promise<Rotated> {
  if ((await findMasterKeyCheck(database.read)) === null) {
    throw new MasterKeyError(
      'No server has used this database yet, so there is no key to change. Run this with the settings of the server.',
    )
  }
  await checkOpens(database, await openSealing({ database }, source))
  const path = source.given === null ? masterKeyPath(source.dataFolder) : null
  const ring = source.given ?? (await beginInFile(database, masterKeyPath(source.dataFolder)))
  const values = await resealAll(database, ring)
  const isLast = await finish(database, ring, path)
  return { values: values + (isLast ? 1 : 0), keyId: keyId(ring[0]) }
}

/** Those who rotate at the same time are given the same new key. */
function beginInFile(database: Database, path: string): Promise<KeyRing> {
  return database.write(async (tx) => {
    await lock(database, tx, 'master key')
    const keys = readMasterKeyFile(path)
    if (keys === null) throw new MasterKeyError(`There is no ${path}.`)
    const inUse = keyIdOf((await findMasterKeyCheck(tx)) ?? '')
    if (inUse !== keyId(keys[0])) return keys
    const ring: KeyRing = [newMasterKey(), ...keys]
    await replaceMasterKeyFile(path, ring)
    return ring
  })
}

/** From here on the new key is the one that is asked for. False where somebody else has come here first. */
function finish(database: Database, ring: KeyRing, path: string | null): Promise<boolean> {
  return database.write(async (tx) => {
    await lock(database, tx, 'master key')
    const check = (await findMasterKeyCheck(tx)) ?? ''
    const [first, ...others] = ring
    const sealed = createSealing(ring).renew(check, purposes.masterKeyCheck())
    if (sealed === check) return false
    await replaceMasterKeyCheck(tx, sealed)
    const before = others.filter((key) => keyId(key) === keyIdOf(check))
    if (path !== null) await replaceMasterKeyFile(path, [first, ...before])
    return true
  })
}
