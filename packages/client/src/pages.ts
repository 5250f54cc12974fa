import type { Page } from '@masthead/contract/schemas/page.ts'

type ListCall<Item> = (input: never) => Promise<Page<Item>>
type Listing = { query?: Record<string, unknown> }

/** Every item of a list, one page fetched after the other: `for await (const p of pages(client.listProjects))`. */
export async function* pages<Item, List extends ListCall<Item>>(
  list: List & ListCall<Item>,
  ...[input]: Parameters<List>
): AsyncGenerator<Item, void, undefined> {
  const next = list as unknown as (input: Listing) => Promise<Page<Item>>
  let listing: Listing = input ?? {}
  for (;;) {
    const page = await next(listing)
    yield* page.items
    if (page.next === null) return
    listing = { ...listing, query: { ...listing.query, cursor: page.next } }
  }
}
