import { TimeoutError } from './with-timeout.ts'

export interface Semaphore {
  /** Resolves to the function that releases it. Throws a TimeoutError after the time given, or the signal's reason. */
  acquire(timeoutMs: number, signal?: AbortSignal): Promise<() => void>
}

export function createSemaphore(count: number): Semaphore {
  const waiting = new Set<() => void>()
  let free = count
  function release(): void {
    const [next] = waiting
    if (next === undefined) free++
    else next()
  }
  return {
    async acquire(timeoutMs, signal) {
      signal?.throwIfAborted()
      if (free > 0) {
        free--
        return release
      }
      const { promise, resolve, reject } = Promise.withResolvers<() => void>()
      const settled = (): void => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', giveUp)
        // Immediately, so that release() never picks a caller that gave up.
        waiting.delete(enter)
      }
      function enter(): void {
        settled()
        resolve(release)
      }
      function giveUp(): void {
        settled()
        reject(signal?.reason)
      }
      const timer = setTimeout(() => {
        settled()
        reject(new TimeoutError(`not acquired within ${timeoutMs} ms`))
      }, timeoutMs)
      signal?.addEventListener('abort', giveUp, { once: true })
      waiting.add(enter)
      return promise
    },
  }
}
