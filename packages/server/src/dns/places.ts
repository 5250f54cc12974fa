import { DnsFault } from './dns-fault.ts'

export interface Places {
  /**
   * Waits for a place; what comes back gives it free again. Throws a DnsFault after the time given, or the signal's
   * reason.
   */
  take(timeoutMs: number, signal?: AbortSignal): Promise<() => void>
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
    async take(timeoutMs, signal) {
      signal?.throwIfAborted()
      if (free > 0) {
        free--
        return leave
      }
      const { promise, resolve, reject } = Promise.withResolvers<() => void>()
      const settled = (): void => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', givenUp)
        // At once, so that no place is given to who is on the way out.
        waiting.delete(enter)
      }
      function enter(): void {
        settled()
        resolve(leave)
      }
      function givenUp(): void {
        settled()
        reject(signal?.reason)
      }
      const timer = setTimeout(() => {
        settled()
        reject(new DnsFault('timeout', 'Too many questions are being asked'))
      }, timeoutMs)
      signal?.addEventListener('abort', givenUp, { once: true })
      waiting.add(enter)
      return promise
    },
  }
}
