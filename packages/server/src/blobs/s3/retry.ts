import { setTimeout as sleep } from 'node:timers/promises'
import { isTransient } from './s3-error.ts'

const firstWaitMs = 50
const longestWaitMs = 2_000

/** The wait after this many failures, with jitter, so that many nodes do not come back at the same moment. */
export function backoff(failures: number, random: () => number = Math.random): number {
  const longest = Math.min(longestWaitMs, firstWaitMs * 2 ** failures)
  return longest / 2 + (random() * longest) / 2
}

/** Tries again after transient failures, but starts no attempt after `retryMs`. Throws the last error. */
export async function withRetries<T>(
  attempt: () => Promise<T>,
  retryMs: number,
  signal?: AbortSignal,
): Promise<T> {
  const end = performance.now() + retryMs
  for (let failures = 0; ; failures++) {
    try {
      return await attempt()
    } catch (error) {
      signal?.throwIfAborted()
      const wait = backoff(failures)
      if (!isTransient(error) || performance.now() + wait > end) throw error
      await sleep(wait, undefined, { signal })
    }
  }
}
