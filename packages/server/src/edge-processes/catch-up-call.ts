export interface CatchUpCall {
  /** Resolves when the other process has read everything committed before the call, or is known to be late. */
  request(): Promise<void>
  /** To be called on every answer, and once when the other process starts to listen. */
  answered(): void
  /** The other process has ended. */
  close(): void
}

export interface CatchUpCallParts {
  send: () => void
  /** How long to wait for one answer. */
  timeoutMs: number
  onLate: () => void
}

/**
 * Asks another process to read the change feed, one call at a time. Requests made meanwhile share the next call, so
 * nothing piles up. A late process is not waited for again until it has answered.
 */
export function createCatchUpCall({ send, timeoutMs, onLate }: CatchUpCallParts): CatchUpCall {
  let state: 'ready' | 'calling' | 'late' | 'closed' = 'late'
  /** Something changed after the call that is still unanswered. */
  let callAgain = false
  let current = Promise.withResolvers<void>()
  let next: Promise<void> | null = null
  let timer: NodeJS.Timeout | undefined
  current.resolve()

  function call(): Promise<void> {
    next = null
    if (state === 'ready') {
      state = 'calling'
      current = Promise.withResolvers()
      timer = setTimeout(giveUp, timeoutMs)
      send()
    } else callAgain = true
    return current.promise
  }

  function giveUp(): void {
    state = 'late'
    onLate()
    current.resolve()
  }

  return {
    request() {
      next ??= current.promise.then(call)
      return next
    },
    answered() {
      if (state === 'closed') return
      clearTimeout(timer)
      state = 'ready'
      current.resolve()
      if (callAgain) {
        callAgain = false
        void call()
      }
    },
    close() {
      clearTimeout(timer)
      state = 'closed'
      current.resolve()
    },
  }
}
