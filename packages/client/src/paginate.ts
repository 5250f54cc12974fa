import type { Page } from '@masthead/contract/schemas/fields.ts'
import { EndlessListError } from './errors.ts'

type ListCall<Item> = (input: never) => Promise<Page<Item>>
type Listing = { query?: Record<string, unknown> }

/** Far more than any list has. A page without items leads to one that has some. */
const maxPages = { inAll: 50_000, withoutItems: 20 }

/** The items of a list, page by page. */
export async function* pages<Item, List extends ListCall<Item>>(
  list: List & ListCall<Item>,
  ...[input]: Parameters<List>
): AsyncGenerator<Item[], void, undefined> {
  const next = list as unknown as (input: Listing) => Promise<Page<Item>>
  let listing: Listing = input ?? {}
  const cursors = new Set<string>()
  for (let count = 1, empty = 0; ; count++) {
    const page = await next(listing)
    empty = page.items.length === 0 ? empty + 1 : 0
    yield page.items
    if (page.next === null) return
    if (cursors.has(page.next)) throw new EndlessListError('the server leads to the same page again')
    if (count === maxPages.inAll || empty === maxPages.withoutItems) {
      throw new EndlessListError(`the server leads to another page after ${count}`)
    }
    cursors.add(page.next)
    listing = { ...listing, query: { ...listing.query, cursor: page.next } }
  }
}

/** Every item of a list: `for await (const p of paginate(client.listProjects))`. */
export async function* paginate<Item, List extends ListCall<Item>>(
  list: List & ListCall<Item>,
  ...input: Parameters<List>
): AsyncGenerator<Item, void, undefined> {
  for await (const items of pages<Item, List>(list, ...input)) yield* items
}

/** All items of a list at once. */
export async function listAll<Item, List extends ListCall<Item>>(
  list: List & ListCall<Item>,
  ...input: Parameters<List>
): Promise<Item[]> {
  const items: Item[] = []
  for await (const item of paginate<Item, List>(list, ...input)) items.push(item)
  return items
}
