import type { LabRecordType } from '@masthead/contract/schemas/lab.ts'
import type { Database } from '../database/database.ts'
import { Problem } from '../problem.ts'
import { readName } from './record-name.ts'
import { deleteRecord } from './store.ts'

export async function removeLabRecord(database: Database, typed: string, type: LabRecordType): Promise<void> {
  const name = readName(typed)
  const removed = name !== null && (await database.write((tx) => deleteRecord(tx, name, type)))
  if (!removed) throw new Problem('not_found', `The lab has no ${type} record at ${name ?? 'that name'}.`)
}
