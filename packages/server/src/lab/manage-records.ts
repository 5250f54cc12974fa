import type { Page } from '@masthead/contract/schemas/fields.ts'
import type { LabRecord, LabRecordType } from '@masthead/contract/schemas/lab.ts'
import { type Database, lock } from '../database/database.ts'
import { type PageRequest, readCursor, toPage } from '../database/list-query.ts'
import { Problem } from '../kernel/problem.ts'
import { readRecord, refusal, refuseConflict } from './record.ts'
import { parseRecordName } from './record-fields.ts'
import { countRecords, deleteRecord, recordsAfter, typesAt, upsertRecord } from './store.ts'
import type { LabNaming } from './zone.ts'

export async function listLabRecords(
  { read }: Pick<Database, 'read'>,
  { cursor, limit }: PageRequest,
): Promise<Page<LabRecord>> {
  const [name, type = ''] = readCursor(cursor)?.split(' ') ?? []
  const rows = await recordsAfter(read, name === undefined ? undefined : { name, type }, limit + 1)
  return toPage(
    rows,
    limit,
    (row) => `${row.name} ${row.type}`,
    (row) => row,
  )
}

export const maxRecords = 1_000

/** Replaces all values of one type at a name. */
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
    if (!present.includes(record.type) && (await countRecords(tx)) >= maxRecords) {
      const message = `The lab already has ${maxRecords} records, its maximum. Remove some first.`
      throw refusal(message, [{ path: '', message }])
    }
    await upsertRecord(tx, record)
  })
  return record
}

export async function removeLabRecord(database: Database, typed: string, type: LabRecordType): Promise<void> {
  const name = parseRecordName(typed)
  if (name === null) throw new Problem('not_found', `The lab has no ${type} record at that name.`)
  await database.write(async (tx) => {
    if (await deleteRecord(tx, name, type)) return
    const others = await typesAt(tx, name)
    const instead = others.length === 0 ? '' : `; it has ${others.join(' and ')} there`
    throw new Problem('not_found', `The lab has no ${type} record at ${name}${instead}.`)
  })
}
