import { useInfiniteQuery } from '@tanstack/react-query'

interface PageOf<T> {
  items: T[]
  next: string | null
}

interface PagedQuery {
  limit: number
  cursor: string | undefined
}

/** A list that the API gives in pages; `data` holds the items of all that were asked for. */
export function usePaged<T>(
  queryKey: readonly unknown[],
  page: (query: PagedQuery) => Promise<PageOf<T>>,
  limit = 50,
) {
  return useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam }) => page({ limit, cursor: pageParam }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (last) => last.next ?? undefined,
    select: ({ pages }) => pages.flatMap(({ items }) => items),
  })
}
