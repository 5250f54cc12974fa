import type { LabRecord } from '@masthead/contract/schemas/lab.ts'
import { type Database, lock } from '../database/database.ts'
import { readRecord, refusal, refuseConflict } from './record.ts'
import { countRecords, typesAt, upsertRecord } from './store.ts'
import type { LabNaming } from './zone.ts'

export const mostRecords = 1_000

/** Sets all values of one type at a name, in place of those that were there. */
export async function setLabRecord(
  database: Database,
  naming: LabNaming,
  input: LabRecord,
): Promise<LabRecord> {
  const record = readRecord(input, naming)
  await database.write(async (tx) => {
    await lock(database, tx, 'lab')
    const present = await typesAt(tx, record.name)
    refuseConflict(record, present)
    if (!present.includes(record.type) && (await countRecords(tx)) >= mostRecords) {
      const message = `The lab holds ${mostRecords} records, which is all it takes. Remove some first.`
      throw refusal(message, [{ path: '', message }])
    }
    await upsertRecord(tx, record)
  })
  return record
}
