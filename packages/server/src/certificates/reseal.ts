import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '../database/database.ts'
import { type KeyRing, MasterKeyError } from './master-key.ts'
import { replaceSealed, type SealedRow, sealedRowsAfter } from './sealed-store.ts'
import { type SealedColumn, sealedValues } from './sealed-values.ts'
import { createSealing, type Sealing } from './sealing.ts'

/** While a page is written nobody else writes to SQLite: a few milliseconds. */
const pageSize = 100
/** Each finds what was sealed under an older key during the one before. */
const mostPasses = 10

/** Throws a `SealingError` where there is a value that cannot be opened. */
export async function checkOpens(database: Database, sealing: Sealing): Promise<void> {
  for (const column of sealedValues) {
    for await (const rows of pages(database, column)) {
      for (const { key, sealed } of rows) sealing.open(sealed, column.purpose(key))
    }
  }
}

/** Seals everything under the first key but the value that tells which one is in use. Resolves to how many it were. */
export async function resealAll(database: Database, keys: KeyRing): Promise<number> {
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
