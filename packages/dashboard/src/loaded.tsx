import type { ReactNode } from 'react'
import { ProblemNotice } from './problem-notice.tsx'
import { Button } from './ui/button.tsx'
import { focusPageIfLost } from './ui/focus.tsx'
import { SkeletonRows } from './ui/page.tsx'

interface Query<T> {
  data: T | undefined
  error: unknown
  isFetching: boolean
  refetch: () => unknown
}

interface LoadedProps<T> {
  query: Query<T>
  /** Shown while loading. */
  waiting?: ReactNode
  children: (data: T) => ReactNode
}

/** Shows the data of a query, or its error with a retry button. Data stays visible while refetching. */
export function Loaded<T>({ query, waiting = <SkeletonRows rows={3} />, children }: LoadedProps<T>) {
  const { data, error, isFetching, refetch } = query

  /** The button disappears with the error. */
  async function retry() {
    await refetch()
    focusPageIfLost()
  }

  if (data === undefined && error === null) return waiting
  return (
    <>
      {error !== null && (
        <div className="mb-6">
          <ProblemNotice error={error}>
            <Button pending={isFetching && 'Trying again…'} onClick={retry}>
              Try again
            </Button>
          </ProblemNotice>
        </div>
      )}
      {data !== undefined && children(data)}
    </>
  )
}

interface PagedList {
  hasNextPage: boolean
  isFetchingNextPage: boolean
  fetchNextPage: () => unknown
}

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
