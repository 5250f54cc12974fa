import type { Id } from '@masthead/contract/ids.ts'
import type { AccountRow } from '../accounts/account.ts'
import { setSuspension } from '../accounts/suspend-account.ts'
import type { EventActor } from '../events/record-event.ts'
import type { ProjectContext } from './create-project.ts'
import { readSlugs } from './read.ts'

/** Suspends or, without a reason, restores an account, and has every edge look at its sites again. */
export function suspendAccount(
  { database, now, changes }: ProjectContext,
  input: { accountId: Id<'account'>; reason: string | null; by: EventActor },
): Promise<AccountRow> {
  return database.write(async (tx) => {
    const { account, isChanged } = await setSuspension(tx, { ...input, at: now() })
    if (!isChanged) return account
    const kind = input.reason === null ? 'project' : 'project_stopped'
    for (const subject of await readSlugs(tx, input.accountId)) await changes.record(tx, { kind, subject })
    return account
  })
}
