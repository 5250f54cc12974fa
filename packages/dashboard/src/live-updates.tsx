import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { sessionKey } from './session.ts'

/** Where no stream can be had, what is shown is asked for again this often. */
const pollEvery = 5_000

/**
 * Keeps what is shown up to date. The API tells over a stream that something of the account changed, never what:
 * everything on the page is asked for again. A browser reconnects by itself, and `hello` covers what was missed.
 */
export function LiveUpdates() {
  const queries = useQueryClient()
  const [streaming, setStreaming] = useState(false)

  useEffect(() => {
    const refresh = () =>
      void queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== sessionKey[0] })
    const source = new EventSource('/v1/stream')
    source.addEventListener('hello', () => {
      setStreaming(true)
      refresh()
    })
    source.addEventListener('changed', refresh)
    source.onerror = () => setStreaming(false)
    return () => source.close()
  }, [queries])

  useEffect(() => {
    if (streaming) return
    const timer = setInterval(
      () => void queries.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== sessionKey[0] }),
      pollEvery,
    )
    return () => clearInterval(timer)
  }, [queries, streaming])

  return null
}
