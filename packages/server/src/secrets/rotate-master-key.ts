import { setTimeout as sleep } from 'node:timers/promises'
import { type Context, type Database, lock } from '../database/database.ts'
import {
  generateMasterKey,
  type KeyRing,
  MasterKeyError,
  masterKeyPath,
  readMasterKeyFile,
  replaceMasterKeyFile,
} from './master-key.ts'
import { type MasterKeySource, openSealing } from './open-sealing.ts'
import {
  findMasterKeyCheck,
  replaceMasterKeyCheck,
  replaceSealed,
  type SealedRow,
  sealedRowsAfter,
} from './sealed-store.ts'
import { purposes, type SealedColumn, sealedValues } from './sealed-values.ts'
import { createSealing, keyId, keyIdOf, type Sealing } from './sealing.ts'

export interface RotationResult {
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
): Promise<RotationResult> {
  if ((await findMasterKeyCheck(database.read)) === null) {
    throw new MasterKeyError(
      'No server has used this database yet, so there is no key to change. Run this with the settings of the server.',
    )
  }
  await assertAllOpen(database, await openSealing({ database }, source))
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
    const ring: KeyRing = [generateMasterKey(), ...keys]
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

/** While a page is written nobody else writes to SQLite: a few milliseconds. */
const pageSize = 100
/** Each finds what was sealed under an older key during the one before. */
const mostPasses = 10

/** Throws a `SealingError` where there is a value that cannot be opened. */
async function assertAllOpen(database: Database, sealing: Sealing): Promise<void> {
  for (const column of sealedValues) {
    for await (const rows of pages(database, column)) {
      for (const { key, sealed } of rows) sealing.open(sealed, column.purpose(key))
    }
  }
}

/** Seals everything under the first key but the value that tells which one is in use. Resolves to how many it were. */
async function resealAll(database: Database, keys: KeyRing): Promise<number> {
  const sealing = createSealing(keys)
  const columns = sealedValues.filter(({ table }) => table !== 'master_key_check')
  let all = 0
  for (let pass = 0; pass < mostPasses; pass++) {
    let count = 0
    for (const column of columns) count += await resealColumn(database, column, sealing)
    if (count === 0) return all
    all += count
  }
  throw new MasterKeyError(
    'Values are still being sealed under an older key. Give every node the new key first, then run this again.',
  )
}

async function resealColumn(database: Database, column: SealedColumn, sealing: Sealing): Promise<number> {
  let count = 0
  for await (const rows of pages(database, column)) {
    const renewed = rows.flatMap((row) => {
      const sealed = sealing.renew(row.sealed, column.purpose(row.key))
      return sealed === row.sealed ? [] : [{ row, sealed }]
    })
    if (renewed.length === 0) continue
    const from = performance.now()
    await database.write(async (tx) => {
      for (const { row, sealed } of renewed) await replaceSealed(tx, column, row, sealed)
    })
    count += renewed.length
    // As long again for others, who would not get a turn otherwise.
    await sleep(performance.now() - from)
  }
  return count
}

async function* pages(database: Database, column: SealedColumn): AsyncGenerator<SealedRow[]> {
  for (let last: string | undefined = ''; last !== undefined; ) {
    const rows: SealedRow[] = await sealedRowsAfter(database.read, column, last, pageSize)
    if (rows.length > 0) yield rows
    last = rows.at(-1)?.key
  }
}
