import type { LabRecord, LabRecordType } from '@masthead/contract/schemas/lab.ts'
import type { Selectable } from 'kysely'
import type { Reader, Tx } from '../database/database.ts'
import type { Schema } from '../database/schema.ts'

type Row = Selectable<Schema['lab_records']>

const toRecord = ({ name, type, value_list, ttl }: Row): LabRecord => {
  return { name, type, values: JSON.parse(value_list) as string[], ttl }
}

export async function allRecords(db: Reader): Promise<LabRecord[]> {
  return (await db.selectFrom('lab_records').selectAll().execute()).map(toRecord)
}

export async function recordsAfter(
  db: Reader,
  after: { name: string; type: string } | undefined,
  limit: number,
): Promise<LabRecord[]> {
  let query = db.selectFrom('lab_records').selectAll()
  if (after !== undefined) {
    const { name, type } = after
    query = query.where((e) =>
      e.or([e('name', '>', name), e.and([e('name', '=', name), e('type', '>', type as LabRecordType)])]),
    )
  }
  return (await query.orderBy('name').orderBy('type').limit(limit).execute()).map(toRecord)
}

export async function typesAt(db: Reader, name: string): Promise<LabRecordType[]> {
  const rows = await db
    .selectFrom('lab_records')
    .select('type')
    .where('name', '=', name)
    .orderBy('type')
    .execute()
  return rows.map(({ type }) => type)
}

export async function countRecords(db: Reader): Promise<number> {
  const { count } = await db
    .selectFrom('lab_records')
    .select((e) => e.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return Number(count)
}

export async function upsertRecord(tx: Tx, { name, type, values, ttl }: LabRecord): Promise<void> {
  const change = { value_list: JSON.stringify(values), ttl }
  await tx
    .insertInto('lab_records')
    .values({ name, type, ...change })
    .onConflict((conflict) => conflict.columns(['name', 'type']).doUpdateSet(change))
    .execute()
}

/** False: there was none. */
export async function deleteRecord(tx: Tx, name: string, type: LabRecordType): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('lab_records')
    .where('name', '=', name)
    .where('type', '=', type)
    .executeTakeFirst()
  return numDeletedRows === 1n
}
