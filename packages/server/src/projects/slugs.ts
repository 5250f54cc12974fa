import type { Id } from '@masthead/contract/schemas/fields.ts'
import { type Context, type Database, lock, type Tx } from '../database/database.ts'
import { day, isoTime } from '../kernel/clock.ts'
import { Problem } from '../kernel/problem.ts'
import {
  deleteReleasedSlug,
  deleteReleasedSlugs,
  findReleasedSlug,
  keepNewestReleased,
  putReleasedSlug,
} from './released-slug-store.ts'

function slugLock(slug: string): string {
  return `slug:${slug}`
}

export function slugTaken(slug: string): Problem {
  return new Problem('slug_taken', `The slug ${slug} is taken.`)
}

/** Old links keep pointing to a slug, so for this long only its previous account can reuse it. */
export const slugHoldPeriod = 30 * day
/** After that, the next owner is shown that it was used before. */
const historyKeptFor = 365 * day
/** Projects are free to create and delete, so an account cannot hold any number of slugs. */
const maxPerAccount = 1_000
const batchSize = 1_000

interface Release {
  slug: string
  accountId: Id<'account'>
  at: number
}

/** In alphabetical order, to avoid deadlocks. */
export async function lockSlugs(
  database: Pick<Database, 'dialect'>,
  tx: Tx,
  slugs: readonly string[],
): Promise<void> {
  for (const slug of [...new Set(slugs)].sort()) await lock(database, tx, slugLock(slug))
}

/** Reserves a former slug for its account. The slug must be locked. */
export async function releaseSlug(tx: Tx, { slug, accountId, at }: Release): Promise<void> {
  await putReleasedSlug(tx, { slug, account_id: accountId, released_at: at })
  await keepNewestReleased(tx, accountId, maxPerAccount)
}

/** Throws if the slug is reserved for another account. The slug must be locked. */
export async function claimSlug(tx: Tx, { slug, accountId, at }: Release): Promise<void> {
  const released = await findReleasedSlug(tx, slug)
  if (released === undefined) return
  if (released.account_id === accountId) return deleteReleasedSlug(tx, slug)
  const until = released.released_at + slugHoldPeriod
  if (at < until) throw slugHeld(slug, until)
}

/** Deletes slugs released long ago. True if there may be more. */
export async function forgetReleasedSlugs({ database, now }: Context): Promise<boolean> {
  const removed = await database.write((tx) => deleteReleasedSlugs(tx, now() - historyKeptFor, batchSize))
  return removed === batchSize
}

function slugHeld(slug: string, until: number): Problem {
  const { code } = slugTaken(slug)
  const detail = `The slug ${slug} is reserved for its previous account until ${isoTime(until)}.`
  return new Problem(code, detail, { extra: { availableAt: isoTime(until) } })
}
