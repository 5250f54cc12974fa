import { type Kysely, sql } from 'kysely'
import type { Client } from 'pg'
import { OperatorError } from '../kernel/program/process-lifetime.ts'
import type { Schema } from './schema.ts'

/**
 * Exists in a PostgreSQL database from the start of a move or restore to its end, with how far each table is. A server
 * must not run on half an installation.
 */
export const unfinishedCopyTable = 'unfinished_copy'

export async function refuseUnfinishedCopy(db: Kysely<Schema>): Promise<void> {
  const { rows } = await sql<{ found: string | null }>`
    select to_regclass(${unfinishedCopyTable})::text as found`.execute(db)
  if (rows[0]?.found == null) return
  throw new OperatorError(
    'This database holds an unfinished move or restore. Run masthead-server move or masthead-server restore again ' +
      'to finish it, or use another database.',
  )
}

export async function dropUnfinishedCopy(client: Client): Promise<void> {
  await client.query(`drop table ${unfinishedCopyTable}`)
}
