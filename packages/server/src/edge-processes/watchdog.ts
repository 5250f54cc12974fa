import { second } from '../kernel/clock.ts'

export interface Watchdog {
  /** To be called on every answer, and once when the other process starts to listen. */
  answered(): void
  stop(): void
}

export interface WatchdogParts {
  ping: () => void
  onStuck: () => void
  pingEveryMs?: number | undefined
}

/** Half a minute: more than a busy event loop ever needs for an answer. */
const maxUnanswered = 6

/**
 * Finds a process that no longer runs its event loop. New connections reach it all the same, and would wait for ever.
 * Pings are counted instead of time: after a sleep of the machine, a process has as many left as before.
 */
export function createWatchdog({ ping, onStuck, pingEveryMs = 5 * second }: WatchdogParts): Watchdog {
  let unanswered = 0
  let timer: NodeJS.Timeout | undefined

  function next(): void {
    if (unanswered === maxUnanswered) {
      clearInterval(timer)
      onStuck()
      return
    }
    unanswered++
    ping()
  }

  return {
    answered() {
      unanswered = 0
      timer ??= setInterval(next, pingEveryMs).unref()
    },
    stop: () => clearInterval(timer),
  }
}
