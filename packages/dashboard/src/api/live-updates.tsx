import type { Id } from '@masthead/contract/schemas/fields.ts'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { paced } from './paced.ts'

/** How often to refetch, and to reopen the stream, while it is unavailable. */
const pollEvery = 5_000

/**
 * Keeps the page up to date. The stream says that something in the account changed, never what, so the whole page is
 * refetched; `hello` covers what was missed while disconnected. Hidden tabs close their stream, because browsers
 * allow few connections per host.
 */
export function LiveUpdates({ account }: { account: Id<'account'> }) {
  const queries = useQueryClient()

  useEffect(() => {
    let source: EventSource | null = null
    // Many changes, such as checks of domains, must not refetch the page once for each. A hidden tab is refreshed by the
    // `hello` that it gets once it is shown.
    const refresh = paced(async () => {
      if (!document.hidden) await queries.invalidateQueries()
    })

    function open() {
      source = new EventSource(`/v1/stream?${new URLSearchParams({ account })}`)
      source.addEventListener('hello', refresh)
      source.addEventListener('changed', refresh)
    }

    function close() {
      source?.close()
      source = null
    }

    function followVisibility() {
      if (document.hidden) close()
      else if (source === null) open()
    }

    // The browser reconnects after a lost connection, but not after a refused one.
    const poll = setInterval(() => {
      if (document.hidden || source?.readyState === EventSource.OPEN) return
      refresh()
      if (source?.readyState === EventSource.CLOSED) open()
    }, pollEvery)
    document.addEventListener('visibilitychange', followVisibility)
    followVisibility()
    return () => {
      document.removeEventListener('visibilitychange', followVisibility)
      clearInterval(poll)
      close()
    }
  }, [account, queries])

  return null
}
