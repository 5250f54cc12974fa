import { DnsFault } from './dns-fault.ts'

export interface Places {
  /** Waits for a place; what comes back gives it free again. Throws a DnsFault after the time given. */
  take(timeoutMs: number): Promise<() => void>
}

/** So many at a time, so that a burst of checks does not use up the sockets of the process. */
export function createPlaces(count: number): Places {
  const waiting = new Set<() => void>()
  let free = count
  function leave(): void {
    const [next] = waiting
    if (next === undefined) free++
    else next()
  }
  return {
    async take(timeoutMs) {
      if (free > 0) {
        free--
        return leave
      }
      const { promise, resolve, reject } = Promise.withResolvers<() => void>()
      const timer = setTimeout(() => {
        waiting.delete(enter)
        reject(new DnsFault('timeout', 'Too many questions are being asked'))
      }, timeoutMs)
      function enter(): void {
        clearTimeout(timer)
        waiting.delete(enter)
        resolve(leave)
      }
      waiting.add(enter)
      return promise
    },
  }
}
