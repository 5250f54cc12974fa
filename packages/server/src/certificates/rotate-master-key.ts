import type { Context } from '../database/context.ts'
import { lock, type Tx } from '../database/database.ts'
import {
  type KeyRing,
  MasterKeyError,
  masterKeyPath,
  newMasterKey,
  readMasterKeyFile,
  replaceMasterKeyFile,
} from './master-key.ts'
import { type MasterKeySource, openSealing } from './open-sealing.ts'
import { findMasterKeyCheck, replaceSealed, sealedRowsAfter } from './sealed-store.ts'
import { sealedValues } from './sealed-values.ts'
import { createSealing, keyId } from './sealing.ts'

export interface Rotated {
  /** How many values were sealed anew. */
  values: number
  keyId: string
}

const pageSize = 500

/**
 * Seals everything anew. A key that was given is changed by giving another one before it; the one in the file by
 * making a new one. The file holds both from before the first value is sealed anew until the next rotation, so it
 * opens everything wherever this is interrupted, and also what a running process still seals under the old key.
 */
export async function rotateMasterKey(
  context: Pick<Context, 'database'>,
  source: MasterKeySource,
): Promise<Rotated> {
  await openSealing(context, source)
  if (source.given !== null) return reseal(context, source.given)
  const path = masterKeyPath(source.dataFolder)
  const keys = readMasterKeyFile(path)
  if (keys === null) throw new MasterKeyError(`There is no ${path}.`)
  const before = await keyIdInUse(context)
  // A rotation that was interrupted is brought to its end.
  const ring: KeyRing = before === keyId(keys[0]) ? [newMasterKey(), ...keys] : keys
  await replaceMasterKeyFile(path, ring)
  const rotated = await reseal(context, ring)
  await replaceMasterKeyFile(path, [ring[0], ...ring.slice(1).filter((key) => keyId(key) === before)])
  return rotated
}

async function keyIdInUse({ database }: Pick<Context, 'database'>): Promise<string | undefined> {
  return (await findMasterKeyCheck(database.read))?.split('.')[1]
}

/** All or nothing. */
async function reseal({ database }: Pick<Context, 'database'>, keys: KeyRing): Promise<Rotated> {
  const values = await database.write(async (tx) => {
    await lock(database, tx, 'master key')
    let count = 0
    for (const column of sealedValues) count += await resealColumn(tx, column, keys)
    return count
  })
  return { values, keyId: keyId(keys[0]) }
}

async function resealColumn(tx: Tx, column: (typeof sealedValues)[number], keys: KeyRing): Promise<number> {
  const sealing = createSealing(keys)
  const current = `v1.${keyId(keys[0])}.`
  let count = 0
  for (let last: string | undefined = ''; last !== undefined; ) {
    const rows = await sealedRowsAfter(tx, column, last, pageSize)
    for (const row of rows) {
      if (row.sealed.startsWith(current)) continue
      const purpose = column.purpose(row.key)
      await replaceSealed(tx, column, row, sealing.seal(sealing.open(row.sealed, purpose), purpose))
      count++
    }
    last = rows.at(-1)?.key
  }
  return count
}
