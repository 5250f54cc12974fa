import { sql } from 'kysely'
import type { Database } from './database.ts'

/** Resolves when the database has answered, and rejects when it does not. */
export async function databaseAnswers({ read }: Pick<Database, 'read'>): Promise<void> {
  await sql`select 1`.execute(read)
}
