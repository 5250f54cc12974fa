import { type Context, lock } from '../database/database.ts'
import {
  createMasterKeyFile,
  type KeyRing,
  MasterKeyError,
  masterKeyPath,
  readMasterKeyFile,
} from './master-key.ts'
import { findMasterKeyCheck, insertMasterKeyCheck } from './sealed-store.ts'
import { purposes } from './sealed-values.ts'
import { createSealing, type Sealing, SealingError } from './sealing.ts'

/** Where the master key is: given by the operator, or else in a file of the data folder. */
export interface MasterKeySource {
  given: KeyRing | null
  dataFolder: string
}

/**
 * Sealing for this database. The first start makes the key, where none is given, and a value to know it by; from
 * then on a key that is missing or wrong stops the start, because a new one could open nothing.
 */
export async function openSealing(
  { database }: Pick<Context, 'database'>,
  { given, dataFolder }: MasterKeySource,
): Promise<Sealing> {
  const path = masterKeyPath(dataFolder)
  const atHand = () => given ?? readMasterKeyFile(path)
  const check =
    (await findMasterKeyCheck(database.read)) ??
    (await database.write(async (tx) => {
      await lock(database, tx, 'master key')
      const known = await findMasterKeyCheck(tx)
      if (known !== null) return known
      const keys = atHand() ?? (await createMasterKeyFile(path))
      const made = createSealing(keys).seal('Masthead', purposes.masterKeyCheck())
      await insertMasterKeyCheck(tx, made)
      return made
    }))
  const keys = atHand()
  if (keys === null) throw new MasterKeyError(`There is no ${path}. ${whatToDo(check)}`)
  const sealing = createSealing(keys, () => atHand() ?? keys)
  try {
    sealing.open(check, purposes.masterKeyCheck())
  } catch (error) {
    if (!(error instanceof SealingError)) throw error
    const place = given === null ? path : 'MASTHEAD_MASTER_KEY'
    const what = error.kind === 'other_key' ? 'is not the master key of this database' : 'opens nothing'
    throw new MasterKeyError(`${place} ${what}. ${whatToDo(check)}`)
  }
  return sealing
}

function whatToDo(check: string): string {
  const id = check.split('.')[1]
  return (
    `The private keys in the database are sealed under the master key ${id}. Put that key back from a backup, copy ` +
    'it from another node, or set MASTHEAD_MASTER_KEY to it.'
  )
}
