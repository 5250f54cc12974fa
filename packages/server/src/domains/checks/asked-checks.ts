import type { Id } from '@masthead/contract/schemas/fields.ts'
import { FairQueue, QueueFullError } from '../../kernel/fair-queue.ts'
import { Problem } from '../../kernel/problem.ts'

export interface AskedChecks {
  /** Throws a Problem if too many wait. */
  run<T>(account: Id<'account'>, check: () => Promise<T>): Promise<T>
}

/**
 * At once. An account alone gets 4: together with what is due, and with dead nameservers, their questions are three
 * quarters of what `dns/` asks at once.
 */
const maxConcurrent = 16
/** An account alone gets 80. */
const maxWaiting = 400

/** Checks that people and programs ask for. Each account has a share, so that nobody waits for the names of others. */
export function createAskedChecks(): AskedChecks {
  const queue = new FairQueue({ size: maxConcurrent, maxWaiting })
  return {
    async run(account, check) {
      try {
        return await queue.run(account, check)
      } catch (error) {
        if (!(error instanceof QueueFullError)) throw error
        throw new Problem('unavailable', 'Too many names are being checked at the moment.', {
          headers: { 'Retry-After': '5' },
        })
      }
    },
  }
}
