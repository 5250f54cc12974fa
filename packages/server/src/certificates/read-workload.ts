import { day } from '../clock.ts'
import type { Context } from '../database/context.ts'
import { nextJobAt } from './job-store.ts'
import { countExpiringBefore } from './listing-store.ts'

/** Even one that lasts a week is renewed earlier: what is this near to its end did not get a new one. */
const soon = 3 * day

export function countExpiringSoon({ database, now }: Context): Promise<number> {
  return countExpiringBefore(database.read, now() + soon)
}

/** By how many milliseconds the certificate job that waits longest is late; 0 where none is. */
export async function certificateLag({ database, now }: Context): Promise<number> {
  return Math.max(0, now() - ((await nextJobAt(database.read, now())) ?? now()))
}
