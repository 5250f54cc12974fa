import { isServed } from '@masthead/contract/domains/states.ts'
import type { DeletedAccount } from '@masthead/contract/schemas/account.ts'
import type { Id } from '@masthead/contract/schemas/fields.ts'
import type { AccountRow } from '../../accounts/account.ts'
import { deletionGracePeriod, markDeleted, unfinishedDeletions } from '../../accounts/account-lifecycle.ts'
import { lockPlan } from '../../accounts/change-account.ts'
import { lockMembers } from '../../accounts/confirm-access.ts'
import { type EventActor, system } from '../../events/record-event.ts'
import { isoTime } from '../../kernel/clock.ts'
import { Problem } from '../../kernel/problem.ts'
import { revokeAllKeys } from '../../keys/manage-keys.ts'
import { removeAllMembers } from '../../people/members.ts'
import { readProjects, readUnfinishedRemovals } from '../../projects/read.ts'
import { removeAllWebhooks, stopAllWebhooks } from '../../webhooks/manage-webhooks.ts'
import type { DomainContext } from '../context.ts'
import { removeAllProofs } from '../proofs/remove-proof.ts'
import { domainsOfAccount } from '../store.ts'
import { removeProject, removeRemains } from './remove-project.ts'

type DeletionContext = Pick<DomainContext, 'database' | 'changes' | 'now' | 'addresses'>

const projectsAtOnce = 50

/**
 * Deletes an account: first its keys and members, so that nobody can act in it, then its webhooks, and its projects and
 * domains one by one. If the process dies in between, `removeLeftovers` does the rest.
 */
export async function deleteAccount(
  context: DeletionContext,
  input: { account: AccountRow; name: string; removeDomains: boolean; by: EventActor },
): Promise<DeletedAccount> {
  const { database, now } = context
  const { account, by } = input
  const at = now()
  await database.write(async (tx) => {
    const { id, name } = await lockPlan(database, tx, account.id)
    // Somebody who is joining is waited for, and leaves with the others.
    await lockMembers(database, tx, id)
    if (input.name.trim() !== name) throw nameMismatch(name)
    const served = (await domainsOfAccount(tx, id)).filter(({ state }) => isServed(state))
    if (served.length > 0 && !input.removeDomains) throw hasDomains(served.map(({ hostname }) => hostname))
    await markDeleted(tx, { accountId: id, by, at })
    await revokeAllKeys(tx, id)
    await stopAllWebhooks(tx, id, at)
    await removeAllMembers(tx, id)
    await removeAllProofs(context, tx, id)
  })
  await removeContentsOf(context, account.id, by)
  return { id: account.id, deletedAt: isoTime(at), keptUntil: isoTime(at + deletionGracePeriod) }
}

/**
 * Removes the rest of projects whose removal was interrupted, and webhooks and projects of deleted accounts that were
 * left behind or created during the deletion.
 */
export async function removeLeftovers(context: DeletionContext): Promise<void> {
  const failures: unknown[] = []
  const note = (error: unknown) => failures.push(error)
  for (const id of await readUnfinishedRemovals(context)) {
    await removeRemains(context, id, system).catch(note)
  }
  for (const id of await unfinishedDeletions(context.database.read)) {
    await removeContentsOf(context, id, system).catch(note)
  }
  if (failures.length > 0) throw new AggregateError(failures, 'Some deleted projects were not removed')
}

async function removeContentsOf(
  context: DeletionContext,
  accountId: Id<'account'>,
  by: EventActor,
): Promise<void> {
  await removeAllWebhooks(context, accountId)
  for (;;) {
    const { items } = await readProjects(context, accountId, { limit: projectsAtOnce, order: 'created' })
    if (items.length === 0) return
    for (const project of items) await removeProject(context, { project, by }).catch(unlessGone)
  }
}

/** The request and the job of several nodes may remove the same projects. */
function unlessGone(error: unknown): void {
  if (!(error instanceof Problem && error.code === 'not_found')) throw error
}

function nameMismatch(name: string): Problem {
  return new Problem('invalid_input', `The name must be ${name}. Nothing was deleted.`, {
    extra: { errors: [{ path: 'name', message: `must be ${name}` }] },
  })
}

function hasDomains(domains: string[]): Problem {
  const count = domains.length === 1 ? 'One custom domain is' : `${domains.length} custom domains are`
  return new Problem('account_has_domains', `${count} being served. Nothing was deleted.`, {
    extra: { domains },
  })
}
