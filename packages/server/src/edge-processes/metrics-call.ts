import { withTimeout } from '../kernel/with-timeout.ts'
import type { ProcessMetrics } from './gathered-metrics.ts'

export interface MetricsCall {
  /** Null if the other process does not answer in time. */
  request(timeoutMs: number): Promise<ProcessMetrics | null>
  answered(metrics: ProcessMetrics): void
  /** The other process has ended. */
  close(): void
}

/** Asks another process for its metrics. While it owes an answer it is not asked again, so nothing piles up. */
export function createMetricsCall(send: () => void): MetricsCall {
  let owed: PromiseWithResolvers<ProcessMetrics | null> | null = null

  function settle(metrics: ProcessMetrics | null): void {
    owed?.resolve(metrics)
    owed = null
  }

  return {
    async request(timeoutMs) {
      if (owed === null) {
        owed = Promise.withResolvers()
        send()
      }
      return withTimeout(owed.promise, timeoutMs).catch(() => null)
    },
    answered: settle,
    close: () => settle(null),
  }
}
