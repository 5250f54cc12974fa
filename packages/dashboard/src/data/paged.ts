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
  /** For what the stream does not tell of. */
  readAgainEvery?: number
  /** What was shown stays until the answer to another question is here. */
  keepShown?: boolean
}

/** A list that the API gives in pages; `data` holds the items of all that were asked for. */
export function usePaged<T>(
  queryKey: readonly unknown[],
  page: (query: PagedQuery) => Promise<PageOf<T>>,
  limit = 50,
  { readAgainEvery, keepShown = false }: PagedOptions = {},
) {
  return useInfiniteQuery({
    queryKey,
    queryFn: ({ pageParam }) => page({ limit, cursor: pageParam }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (last) => last.next ?? undefined,
    refetchInterval: readAgainEvery ?? false,
    ...(keepShown ? { placeholderData: keepPreviousData } : {}),
    select: ({ pages }) => pages.flatMap(({ items }) => items),
  })
}
