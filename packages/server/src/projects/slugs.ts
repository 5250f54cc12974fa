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

/** Between those who would give the same slug to different projects. */
function slugLock(slug: string): string {
  return `slug:${slug}`
}

export function slugTaken(slug: string): Problem {
  return new Problem('slug_taken', `The slug ${slug} is taken by a project on this server.`)
}

/** Links and previews go on leading to a slug: for so long only the account that had it may take it again. */
export const slugHoldPeriod = 30 * day
/** Afterwards whoever takes it is told that it was used before. */
const rememberedFor = 365 * day
/** A project costs nothing to create and delete, so not every slug that an account ever had is kept for it. */
const mostPerAccount = 1_000
const removedAtOnce = 1_000

interface Release {
  slug: string
  accountId: Id<'account'>
  at: number
}

/** Locks slugs, one by one in the order of the alphabet. */
export async function lockSlugs(
  database: Pick<Database, 'dialect'>,
  tx: Tx,
  slugs: readonly string[],
): Promise<void> {
  for (const slug of [...new Set(slugs)].sort()) await lock(database, tx, slugLock(slug))
}

/** Keeps a slug that a project no longer has for its account. The slug is locked. */
export async function releaseSlug(tx: Tx, { slug, accountId, at }: Release): Promise<void> {
  await putReleasedSlug(tx, { slug, account_id: accountId, released_at: at })
  await keepNewestReleased(tx, accountId, mostPerAccount)
}

/** Throws where the slug is still kept for another account. The slug is locked. */
export async function claimSlug(tx: Tx, { slug, accountId, at }: Release): Promise<void> {
  const released = await findReleasedSlug(tx, slug)
  if (released === undefined) return
  if (released.account_id === accountId) return deleteReleasedSlug(tx, slug)
  const until = released.released_at + slugHoldPeriod
  if (at < until) throw slugHeld(slug, until)
}

/** Forgets slugs that were released long ago. Tells whether there may be more. */
export async function forgetReleasedSlugs({ database, now }: Context): Promise<boolean> {
  const removed = await database.write((tx) => deleteReleasedSlugs(tx, now() - rememberedFor, removedAtOnce))
  return removed === removedAtOnce
}

function slugHeld(slug: string, until: number): Problem {
  const { code } = slugTaken(slug)
  const detail = `The slug ${slug} was used until recently, and is kept for the account that had it until ${isoTime(until)}.`
  return new Problem(code, detail, { extra: { availableAt: isoTime(until) } })
}
