import { Button } from './ui/button.tsx'

interface PagedList {
  hasNextPage: boolean
  isFetchingNextPage: boolean
  fetchNextPage: () => unknown
}

/** The way to the rest of a list, where there is a rest. */
export function ShowMore({ list }: { list: PagedList }) {
  if (!list.hasNextPage) return null
  return (
    <Button
      className="mt-4"
      pending={list.isFetchingNextPage && 'Loading…'}
      onClick={() => list.fetchNextPage()}
    >
      Show more
    </Button>
  )
}
