import type { Retry } from '@masthead/client/client.ts'
import { ConnectionError } from '@masthead/client/errors.ts'
import type { AnyFetch } from '@masthead/client/request.ts'
import type { Output } from './terminal/output.ts'

const momentMs = 1_000

export interface OutageNotice {
  /** Shows that a request waits for the server to come back. False if it waits for something else. */
  announce(retry: Pick<Retry, 'isOutage' | 'waitMs' | 'error'>): boolean
  /** The same fetch, whose first proper answer ends the notice. */
  watch(fetch: AnyFetch): AnyFetch
}

interface OutageNoticeOptions {
  server: string
  out: Output
  signal: AbortSignal
}

/** For an outage that takes longer than a moment: a line at a terminal, one note elsewhere. */
export function createOutageNotice({ server, out, signal }: OutageNoticeOptions): OutageNotice {
  const words = `Waiting for ${new URL(server).host} to come back…`
  let timer: NodeJS.Timeout | undefined
  let startedAt = 0
  let waitsUntil = 0
  let isNoted = false
  let line: readonly string[] = []

  function show(): void {
    const now = performance.now()
    // After the last attempt there is an error to read instead.
    if (signal.aborted || now > waitsUntil) return
    if (out.stderr.isTTY) {
      line = [`${words} ${Math.round((now - startedAt) / 1000)} s`]
      out.draw(line)
    } else if (!isNoted) {
      isNoted = true
      out.note(words)
    }
  }

  function end(): void {
    if (timer === undefined) return
    clearInterval(timer)
    timer = undefined
    isNoted = false
    out.clearIf(line)
  }

  return {
    announce({ isOutage, waitMs, error }) {
      if (!isOutage || isAskedToWait(error)) return false
      if (!out.chatty) return true
      const now = performance.now()
      waitsUntil = Math.max(waitsUntil, now + waitMs)
      if (timer === undefined) {
        startedAt = now
        timer = setInterval(show, momentMs).unref()
      }
      return true
    },
    watch: (fetch) => async (url, init) => {
      const answer = await fetch(url, init)
      if (answer.status < 500) end()
      return answer
    },
  }
}

function isAskedToWait(error: Retry['error']): boolean {
  return !(error instanceof ConnectionError) && error.retryAfterMs !== null
}
