import type { Id } from '@masthead/contract/ids.ts'
import type { Role } from '@masthead/contract/scopes.ts'
import { type AccountRow, accountOf } from '../accounts/account.ts'
import type { Reader } from '../database/database.ts'

/** A person's membership in the account, else in the one that was joined first. */
export async function findMembership(
  db: Reader,
  personId: Id<'person'>,
  accountId: Id<'account'> | null,
): Promise<{ account: AccountRow; role: Role } | undefined> {
  const row = await db
    .selectFrom('members')
    .innerJoin('accounts', 'accounts.id', 'members.account_id')
    .selectAll('accounts')
    .select('members.role')
    .where('members.person_id', '=', personId)
    .orderBy((e) =>
      e
        .case()
        .when('accounts.id', '=', accountId ?? 'acc_')
        .then(0)
        .else(1)
        .end(),
    )
    .orderBy('members.joined_at')
    .orderBy('accounts.id')
    .limit(1)
    .executeTakeFirst()
  return row && { account: accountOf(row), role: row.role }
}
