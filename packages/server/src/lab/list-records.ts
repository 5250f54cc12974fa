import type { LabRecord } from '@masthead/contract/schemas/lab.ts'
import type { Page } from '@masthead/contract/schemas/page.ts'
import type { Database } from '../database/database.ts'
import { type PageRequest, readCursor, toPage } from '../database/page.ts'
import { recordsAfter } from './store.ts'

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
