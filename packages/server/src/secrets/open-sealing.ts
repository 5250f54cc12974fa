import { type Context, lock } from '../database/database.ts'
import {
  createMasterKeyFile,
  type KeyRing,
  MasterKeyError,
  masterKeyCheckPurpose,
  masterKeyPath,
  readMasterKeyFile,
} from './master-key.ts'
import { findMasterKeyCheck, insertMasterKeyCheck } from './sealed-store.ts'
import { createSealing, type Sealing, SealingError } from './sealing.ts'

/** The master key is either set by the operator or in a file in the data folder. */
export interface MasterKeySource {
  given: KeyRing | null
  dataFolder: string
}

/**
 * Sealing for this database. The first start creates the key, unless one is given, and stores a value sealed under it.
 * From then on a missing or wrong key stops the server, because a new key could not open the stored values.
 */
export async function openSealing(
  { database }: Pick<Context, 'database'>,
  { given, dataFolder }: MasterKeySource,
  log: { warn(message: string): void } = silent,
): Promise<Sealing> {
  const path = masterKeyPath(dataFolder)
  const readKeys = () => given ?? readMasterKeyFile(path)
  const check =
    (await findMasterKeyCheck(database.read)) ??
    (await database.write(async (tx) => {
      await lock(database, tx, 'master key')
      const existing = await findMasterKeyCheck(tx)
      if (existing !== null) return existing
      const keys = readKeys() ?? (await createMasterKeyFile(path))
      if (given === null && database.dialect === 'postgres') log.warn(onlyCopy(path))
      const created = createSealing(keys).seal('Masthead', masterKeyCheckPurpose)
      await insertMasterKeyCheck(tx, created)
      return created
    }))
  return openWith(check, { given, dataFolder })
}

/** Whether the master key opens what is stored, without creating anything. Throws a MasterKeyError if it does not. */
export async function verifyMasterKey(
  { database }: Pick<Context, 'database'>,
  source: MasterKeySource,
): Promise<'opens' | 'unused'> {
  return (await openExistingSealing({ database }, source)) === null ? 'unused' : 'opens'
}

/** Null if nothing is sealed yet. Creates nothing, and throws a MasterKeyError if the key is another one. */
export async function openExistingSealing(
  { database }: Pick<Context, 'database'>,
  source: MasterKeySource,
): Promise<Sealing | null> {
  const check = await findMasterKeyCheck(database.read)
  return check === null ? null : openWith(check, source)
}

function openWith(check: string, { given, dataFolder }: MasterKeySource): Sealing {
  const path = masterKeyPath(dataFolder)
  const readKeys = () => given ?? readMasterKeyFile(path)
  const keys = readKeys()
  if (keys === null) throw new MasterKeyError(`${path} is missing.`, howToRestore(check))
  const sealing = createSealing(keys, () => readKeys() ?? keys)
  try {
    sealing.open(check, masterKeyCheckPurpose)
  } catch (error) {
    if (!(error instanceof SealingError)) throw error
    const source = given === null ? path : 'MASTHEAD_MASTER_KEY'
    const what =
      error.kind === 'other_key'
        ? 'is not the master key of this database'
        : 'cannot open the stored check value'
    throw new MasterKeyError(`${source} ${what}.`, howToRestore(check))
  }
  return sealing
}

const silent = { warn: () => {} }

function onlyCopy(path: string): string {
  return (
    `${path} is the only copy of the master key, and every other node needs it. Set MASTHEAD_MASTER_KEY to its ` +
    'content on all nodes and keep a copy elsewhere. Without it, nobody can read the private keys in the database.'
  )
}

function howToRestore(check: string): string {
  const id = check.split('.')[1]
  return (
    `The private keys in the database are sealed under master key ${id}. Restore that key from a backup, or set ` +
    'MASTHEAD_MASTER_KEY to it: other nodes have it in their settings or in master.key in their data folder.'
  )
}
