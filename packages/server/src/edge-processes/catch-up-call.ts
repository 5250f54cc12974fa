export interface CatchUpCall {
  /** Resolves when the other side has read all that was committed before, or is known to be late. */
  ask(): Promise<void>
  /** To be called when an answer comes, and once at the beginning, when the other side begins to hear. */
  answered(): void
  /** Nobody is left to answer. */
  close(): void
}

export interface CatchUpCallParts {
  send: () => void
  /** How long anybody waits for one answer. */
  patience: number
  onLate: () => void
}

/**
 * Asks another process to read what changed, one question at a time. Those who ask meanwhile share the next one, so
 * nothing piles up; one that is late is not waited for again until it has answered.
 */
export function createCatchUpCall({ send, patience, onLate }: CatchUpCallParts): CatchUpCall {
  let state: 'free' | 'asked' | 'late' | 'closed' = 'late'
  /** Something changed after the question that is still to be answered. */
  let owed = false
  let asking = Promise.withResolvers<void>()
  let next: Promise<void> | null = null
  let waiting: NodeJS.Timeout | undefined
  asking.resolve()

  function begin(): Promise<void> {
    next = null
    if (state === 'free') {
      state = 'asked'
      asking = Promise.withResolvers()
      waiting = setTimeout(giveUp, patience)
      send()
    } else owed = true
    return asking.promise
  }

  function giveUp(): void {
    state = 'late'
    onLate()
    asking.resolve()
  }

  return {
    ask() {
      next ??= asking.promise.then(begin)
      return next
    },
    answered() {
      if (state === 'closed') return
      clearTimeout(waiting)
      state = 'free'
      asking.resolve()
      if (owed) {
        owed = false
        void begin()
      }
    },
    close() {
      clearTimeout(waiting)
      state = 'closed'
      asking.resolve()
    },
  }
}
