import { hash } from 'node:crypto'
import type { EndpointName } from '@masthead/contract/endpoints.ts'
import type { Page } from '@masthead/contract/schemas/fields.ts'
import { invalidCursor } from '../../database/list-query.ts'

export interface ListQuery {
  cursor?: string | undefined
  /** Of the lists that have several. */
  order?: string
}

/** Ties a cursor to its list and order. In another one, its position could be past the end, and nobody would notice. */
export function markCursor(list: EndpointName, { order = '' }: ListQuery, cursor: string): string {
  return `${hash('sha256', `${list} ${order}`, 'base64url').slice(0, 8)}.${cursor}`
}

/** The query with the cursor as the list wrote it. */
export function readMarked<Q extends ListQuery>(list: EndpointName, query: Q): Q {
  if (query.cursor === undefined) return query
  const cursor = query.cursor.slice(query.cursor.indexOf('.') + 1)
  if (query.cursor !== markCursor(list, query, cursor)) throw invalidCursor()
  return { ...query, cursor }
}

export function markNext<P extends Page<unknown>>(list: EndpointName, query: ListQuery, page: P): P {
  return page.next === null ? page : { ...page, next: markCursor(list, query, page.next) }
}
