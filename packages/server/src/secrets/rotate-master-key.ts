import { setTimeout as sleep } from 'node:timers/promises'
import { type Context, type Database, lock } from '../database/database.ts'
import {
  generateMasterKey,
  type KeyRing,
  MasterKeyError,
  masterKeyCheckPurpose,
  masterKeyPath,
  readMasterKeyFile,
  replaceMasterKeyFile,
} from './master-key.ts'
import { refuseIfNodesLackKey } from './nodes-keys.ts'
import { type MasterKeySource, openSealing } from './open-sealing.ts'
import {
  findMasterKeyCheck,
  replaceMasterKeyCheck,
  replaceSealed,
  type SealedRow,
  sealedRowsAfter,
} from './sealed-store.ts'
import { createSealing, keyId, keyIdOf, type SealedColumn, type Sealing, SealingError } from './sealing.ts'

export interface RotationResult {
  values: number
  keyId: string
}

/**
 * Reseals these columns while the server runs. A given key is rotated by putting a new one in front of it; for the key
 * file we generate one. The file contains both keys from before the first value is resealed until the next rotation,
 * so it opens everything even if this is interrupted. The check value, which says which key is in use, comes last:
 * until it changes, running this again continues the same rotation.
 */
export async function rotateMasterKey(
  { database }: Pick<Context, 'database'>,
  source: MasterKeySource,
  columns: readonly SealedColumn[],
): Promise<RotationResult> {
  if ((await findMasterKeyCheck(database.read)) === null) {
    throw new MasterKeyError(
      'No server has used this database yet, so there is no key to rotate. Run this with the same settings as the server.',
    )
  }
  await assertAllOpen(database, await openSealing({ database }, source), columns)
  await refuseIfNodesLackKey({ database }, source)
  const path = source.given === null ? masterKeyPath(source.dataFolder) : null
  const ring = source.given ?? (await addKeyToFile(database, masterKeyPath(source.dataFolder)))
  const values = await resealAll(database, ring, columns)
  const isLast = await finish(database, ring, path)
  return { values: values + (isLast ? 1 : 0), keyId: keyId(ring[0]) }
}

/** Concurrent rotations get the same new key. */
function addKeyToFile(database: Database, path: string): Promise<KeyRing> {
  return database.write(async (tx) => {
    await lock(database, tx, 'master key')
    const keys = readMasterKeyFile(path)
    if (keys === null) throw new MasterKeyError(`${path} is missing.`)
    const inUse = keyIdOf((await findMasterKeyCheck(tx)) ?? '')
    if (inUse !== keyId(keys[0])) return keys
    const ring: KeyRing = [generateMasterKey(), ...keys]
    await replaceMasterKeyFile(path, ring)
    return ring
  })
}

/** From here on the server requires the new key. False if a concurrent rotation finished first. */
function finish(database: Database, ring: KeyRing, path: string | null): Promise<boolean> {
  return database.write(async (tx) => {
    await lock(database, tx, 'master key')
    const check = (await findMasterKeyCheck(tx)) ?? ''
    const [first, ...others] = ring
    const sealed = createSealing(ring).renew(check, masterKeyCheckPurpose)
    if (sealed === check) return false
    await replaceMasterKeyCheck(tx, sealed)
    const before = others.filter((key) => keyId(key) === keyIdOf(check))
    if (path !== null) await replaceMasterKeyFile(path, [first, ...before])
    return true
  })
}

/** SQLite has one writer: a page this size blocks others for a few milliseconds only. */
const pageSize = 100
/** Each pass finds what running processes sealed under an older key during the previous one. */
const mostPasses = 10

/** Throws a `SealingError` for the first value that cannot be opened. */
async function assertAllOpen(
  database: Database,
  sealing: Sealing,
  columns: readonly SealedColumn[],
): Promise<void> {
  for (const column of columns) {
    for await (const rows of pages(database, column)) {
      for (const row of rows) renew(sealing, column, row)
    }
  }
}

/** Reseals all columns under the first key. Returns how many values changed. */
async function resealAll(
  database: Database,
  keys: KeyRing,
  columns: readonly SealedColumn[],
): Promise<number> {
  const sealing = createSealing(keys)
  let total = 0
  for (let pass = 0; pass < mostPasses; pass++) {
    let count = 0
    for (const column of columns) count += await resealColumn(database, column, sealing)
    if (count === 0) return total
    total += count
  }
  throw new MasterKeyError(
    'Some node is still sealing values under an older key. Set the new key on every node, then run this again.',
  )
}

async function resealColumn(database: Database, column: SealedColumn, sealing: Sealing): Promise<number> {
  let count = 0
  for await (const rows of pages(database, column)) {
    const renewed = rows.flatMap((row) => {
      const sealed = renew(sealing, column, row)
      return sealed === row.sealed ? [] : [{ row, sealed }]
    })
    if (renewed.length === 0) continue
    const startedAt = performance.now()
    await database.write(async (tx) => {
      for (const { row, sealed } of renewed) await replaceSealed(tx, column, row, sealed)
    })
    count += renewed.length
    // Leave other writers as much time as we took, or they would starve.
    await sleep(performance.now() - startedAt)
  }
  return count
}

/** Null for a value to remove. */
function renew(
  sealing: Sealing,
  { purpose, isTemporary = false }: SealedColumn,
  { key, sealed }: SealedRow,
): string | null {
  try {
    return sealing.renew(sealed, purpose(key))
  } catch (error) {
    if (isTemporary && error instanceof SealingError) return null
    throw error
  }
}

async function* pages(database: Database, column: SealedColumn): AsyncGenerator<SealedRow[]> {
  for (let last: string | undefined = ''; last !== undefined; ) {
    const rows: SealedRow[] = await sealedRowsAfter(database.read, column, last, pageSize)
    if (rows.length > 0) yield rows
    last = rows.at(-1)?.key
  }
}
