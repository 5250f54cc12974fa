import type { Id } from '@masthead/contract/schemas/fields.ts'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'

/** Where no stream can be had, what is shown is asked for again this often, and a stream with it. */
const pollEvery = 5_000

/**
 * Keeps what is shown up to date. The API tells over a stream that something of the account changed, never what:
 * everything on the page is asked for again, and `hello` covers what was missed. A page that nobody sees has no
 * stream: browsers allow few connections to a host, and people have many tabs.
 */
export function LiveUpdates({ account }: { account: Id<'account'> }) {
  const queries = useQueryClient()

  useEffect(() => {
    let source: EventSource | null = null
    const refresh = () => void queries.invalidateQueries()

    function open() {
      source = new EventSource(`/v1/stream?${new URLSearchParams({ account })}`)
      source.addEventListener('hello', refresh)
      source.addEventListener('changed', refresh)
    }

    function close() {
      source?.close()
      source = null
    }

    function followSight() {
      if (document.hidden) close()
      else if (source === null) open()
    }

    // The browser reconnects by itself where the connection was lost, but not where it was refused.
    const poll = setInterval(() => {
      if (document.hidden || source?.readyState === EventSource.OPEN) return
      refresh()
      if (source?.readyState === EventSource.CLOSED) open()
    }, pollEvery)
    document.addEventListener('visibilitychange', followSight)
    followSight()
    return () => {
      document.removeEventListener('visibilitychange', followSight)
      clearInterval(poll)
      close()
    }
  }, [account, queries])

  return null
}
