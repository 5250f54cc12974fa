import type { Page } from '@masthead/contract/schemas/fields.ts'
import { type RawBuilder, sql } from 'kysely'
import { Problem } from '../kernel/problem.ts'
import type { Database } from './database.ts'

export interface PageRequest {
  cursor?: string | undefined
  limit: number
}

/** A cursor is the sort key of the last item, encoded so that nobody builds one by hand. */
export function readCursor(cursor: string | undefined): string | undefined {
  if (cursor === undefined) return undefined
  const text = Buffer.from(cursor, 'base64url').toString()
  if (!text.startsWith('after:') || text.includes('\0')) throw invalidCursor()
  return text.slice('after:'.length)
}

export function invalidCursor(): Problem {
  return new Problem('invalid_input', 'This cursor is not from this list. Use the `next` of the last page.', {
    extra: { errors: [{ path: 'cursor', message: 'is not the `next` of a page' }] },
  })
}

/** Builds a page of up to `limit` items from `limit + 1` rows: the extra row shows that there are more. */
export function toPage<Row, Item>(
  rows: Row[],
  limit: number,
  sortKey: (row: Row) => string,
  toItem: (row: Row) => Item,
): Page<Item> {
  const shown = rows.slice(0, limit)
  const last = shown.at(-1)
  const more = rows.length > limit && last !== undefined
  return {
    items: shown.map(toItem),
    next: more ? Buffer.from(`after:${sortKey(last)}`).toString('base64url') : null,
  }
}

/** Matches case-insensitively. */
export function containsText(
  { dialect }: Pick<Database, 'dialect'>,
  column: string,
  text: string,
): RawBuilder<boolean> {
  // SQLite's LIKE ignores case for ASCII letters.
  const like = sql.raw(dialect === 'postgres' ? 'ilike' : 'like')
  const pattern = `%${text.replaceAll(/[\\%_]/g, '\\$&')}%`
  return sql<boolean>`${sql.ref(column)} ${like} ${pattern} escape '\\'`
}
