import type { Context } from '../database/database.ts'
import type { ChangeFeed } from '../events/change-feed.ts'
import { CurrentCache } from '../events/current-cache.ts'
import { readMemberSession } from '../people/read.ts'
import type { SignedInMember } from './passes.ts'

const maxMembers = 5_000

/**
 * Whether somebody is still signed in to the dashboard, and still a member of the account. Asked at every visit of a
 * member, so it is kept in memory until the change feed tells that something about the person has changed.
 */
export function createMemberCheck(
  context: Context,
  changes: Pick<ChangeFeed, 'isCurrent' | 'subscribe'>,
): (member: SignedInMember, accountId: string) => Promise<boolean> {
  const known = new CurrentCache<{ person: string; expiresAt: number; accountId: string }>(changes, {
    kind: 'access',
    maxWeight: maxMembers,
    subjectsOf: ({ person, accountId }) => [person, accountId],
  })
  return async ({ person, session }, accountId) => {
    const found = await known.get(`${session} ${person} ${accountId}`, async () => {
      const read = await readMemberSession(context, { person, session, accountId })
      return read === null ? null : { ...read, person, accountId }
    })
    return found !== null && found.expiresAt > context.now()
  }
}
