import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'

interface PageOf<T> {
  items: T[]
  next: string | null
}

interface PagedQuery {
  limit: number
  cursor: string | undefined
}

interface PagedOptions {
  /** For data that the stream does not cover, in milliseconds. */
  refetchEvery?: number
  /** Shows the previous results until those of a new search arrive. */
  keepPrevious?: boolean
}

/** A list that the API returns in pages; `data` holds the items of all loaded pages. */
export function usePaged<T>(
  queryKey: readonly unknown[],
  page: (query: PagedQuery) => Promise<PageOf<T>>,
  limit = 50,
  { refetchEvery, keepPrevious = false }: PagedOptions = {},
) {
  return useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam }) => page({ limit, cursor: pageParam }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (last) => last.next ?? undefined,
    refetchInterval: refetchEvery ?? false,
    ...(keepPrevious ? { placeholderData: keepPreviousData } : {}),
    select: ({ pages }) => pages.flatMap(({ items }) => items),
  })
}
