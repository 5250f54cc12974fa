import type { LabRecordType } from '@masthead/contract/schemas/lab.ts'
import type { Database } from '../database/database.ts'
import { Problem } from '../problem.ts'
import { readName } from './record-name.ts'
import { deleteRecord, typesAt } from './store.ts'

export async function removeLabRecord(database: Database, typed: string, type: LabRecordType): Promise<void> {
  const name = readName(typed)
  if (name === null) throw new Problem('not_found', `The lab has no ${type} record at that name.`)
  await database.write(async (tx) => {
    if (await deleteRecord(tx, name, type)) return
    const others = await typesAt(tx, name)
    const instead = others.length === 0 ? '' : `; what it has there is ${others.join(' and ')}`
    throw new Problem('not_found', `The lab has no ${type} record at ${name}${instead}.`)
  })
}
