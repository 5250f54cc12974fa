import assert from 'node:assert/strict'
import type { EndpointName } from '@masthead/contract/endpoints.ts'
import type { Page } from '@masthead/contract/schemas/fields.ts'
import type { ApiUnderTest } from '../api.test-kit.ts'
import { markCursor } from '../request/list-cursor.ts'

/** All items of an operator's list, read in pages of `limit` items. */
export async function everyPage<T>(api: ApiUnderTest, path: string, limit: number, query = ''): Promise<T[]> {
  const items: T[] = []
  const first = `${path}?limit=${limit}${query}`
  for (let address: string | null = first; address !== null; ) {
    const { status, text, body }: { status: number; text: string; body: Page<T> } = await api.send<Page<T>>(
      `GET ${address}`,
      api.operator,
    )
    assert.equal(status, 200, text)
    assert.ok(body.items.length <= limit)
    items.push(...body.items)
    address = body.next === null ? null : `${first}&cursor=${body.next}`
  }
  return items
}

/** A cursor of that list with any position. */
export const cursorOf = (list: EndpointName, position: string, order = '') =>
  markCursor(list, { order }, Buffer.from(position).toString('base64url'))
