import { type RawBuilder, sql } from 'kysely'
import type { Database } from './database.ts'

/** Whether a column holds a text somewhere, in any case. */
export function containing(
  { dialect }: Pick<Database, 'dialect'>,
  column: string,
  text: string,
): RawBuilder<boolean> {
  // SQLite's LIKE takes no notice of case, for the letters of ASCII.
  const like = sql.raw(dialect === 'postgres' ? 'ilike' : 'like')
  const pattern = `%${text.replaceAll(/[\\%_]/g, '\\$&')}%`
  return sql<boolean>`${sql.ref(column)} ${like} ${pattern} escape '\\'`
}
