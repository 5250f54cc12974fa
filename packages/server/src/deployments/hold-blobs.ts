import type { Id } from '@masthead/contract/ids.ts'
import type { Database } from '../database/database.ts'
import { upsertBlobs } from './blob-row-store.ts'

/** Notes that an account has a blob. Resolves when that is durable. */
export type HoldBlobs = (accountId: Id<'account'>, blob: { sha256: string; size: number }) => Promise<void>

interface Waiting {
  accountId: Id<'account'>
  blob: { sha256: string; size: number }
  settled: PromiseWithResolvers<void>
}

/**
 * Files arrive by the thousand, and a commit waits for the disk. So everything that arrives during one commit
 * goes into the next one together.
 */
export function createHoldBlobs(database: Database): HoldBlobs {
  let waiting: Waiting[] = []
  let running = false

  async function run(): Promise<void> {
    running = true
    while (waiting.length > 0) {
      const batch = waiting
      waiting = []
      try {
        await database.write(async (tx) => {
          const byAccount = Map.groupBy(batch, (entry) => entry.accountId)
          for (const [accountId, entries] of byAccount) {
            const distinct = new Map(entries.map(({ blob }) => [blob.sha256, blob]))
            await upsertBlobs(tx, accountId, [...distinct.values()])
          }
        })
        for (const entry of batch) entry.settled.resolve()
      } catch (error) {
        for (const entry of batch) entry.settled.reject(error)
      }
    }
    running = false
  }

  return (accountId, blob) => {
    const settled = Promise.withResolvers<void>()
    waiting.push({ accountId, blob, settled })
    if (!running) void run()
    return settled.promise
  }
}
