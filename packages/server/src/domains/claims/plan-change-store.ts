import { type DomainKind, domainKindNames } from '@masthead/contract/domains/states.ts'
import { includesDomain, type PlanName } from '@masthead/contract/plans.ts'
import type { Id } from '@masthead/contract/schemas/fields.ts'
import type { Reader, Tx } from '../../database/database.ts'
import type { EventActor } from '../../events/record-event.ts'
import type { DomainRow } from '../domain.ts'

interface AccountOnPlan {
  accountId: Id<'account'>
  plan: PlanName
}

/** The names of domains that the plan does not include and that are not suspended. */
export async function lapsedNames(db: Reader, { accountId, plan }: AccountOnPlan): Promise<string[]> {
  const { others } = kindsOf(plan)
  if (others.length === 0) return []
  const rows = await db
    .selectFrom('domains')
    .select('hostname')
    .where('account_id', '=', accountId)
    .where('state', '!=', 'suspended')
    .where('kind', 'in', others)
    .orderBy('hostname')
    .execute()
  return rows.map(({ hostname }) => hostname)
}

/** The first domains, by name, that the plan suspends or resumes. */
export function domainsToChange(
  db: Reader,
  { accountId, plan }: AccountOnPlan,
  most: number,
): Promise<DomainRow[]> {
  const { included, others } = kindsOf(plan)
  return db
    .selectFrom('domains')
    .selectAll()
    .where('account_id', '=', accountId)
    .where((e) =>
      e.or([
        ...(included.length === 0 ? [] : [e.and([e('state', '=', 'suspended'), e('kind', 'in', included)])]),
        ...(others.length === 0 ? [] : [e.and([e('state', '!=', 'suspended'), e('kind', 'in', others)])]),
      ]),
    )
    .orderBy('hostname')
    .limit(most)
    .execute()
}

function kindsOf(plan: PlanName): { included: DomainKind[]; others: DomainKind[] } {
  const isIncluded = (kind: DomainKind) => includesDomain(plan, kind)
  return {
    included: domainKindNames.filter(isIncluded),
    others: domainKindNames.filter((kind) => !isIncluded(kind)),
  }
}

export async function insertUnfinished(tx: Tx, accountId: Id<'account'>, by: EventActor): Promise<void> {
  await tx
    .insertInto('unfinished_plan_changes')
    .values({ account_id: accountId, actor_kind: by.kind, actor_id: by.id, actor_name: by.name })
    .execute()
}

export async function deleteUnfinished(tx: Tx, accountId: Id<'account'>): Promise<void> {
  await tx.deleteFrom('unfinished_plan_changes').where('account_id', '=', accountId).execute()
}

/** Who made the change; null if nothing is left of it. */
export async function findUnfinished(db: Reader, accountId: Id<'account'>): Promise<EventActor | null> {
  const row = await db
    .selectFrom('unfinished_plan_changes')
    .selectAll()
    .where('account_id', '=', accountId)
    .executeTakeFirst()
  return row === undefined ? null : { kind: row.actor_kind, id: row.actor_id, name: row.actor_name }
}

/** Without deleted accounts, whose domains are removed. */
export async function accountsWithUnfinished(db: Reader): Promise<Id<'account'>[]> {
  const rows = await db
    .selectFrom('unfinished_plan_changes')
    .innerJoin('accounts', 'accounts.id', 'unfinished_plan_changes.account_id')
    .select('account_id')
    .where('accounts.deleted_at', 'is', null)
    .execute()
  return rows.map(({ account_id }) => account_id)
}
