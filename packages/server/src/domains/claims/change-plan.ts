import { setImmediate as immediate } from 'node:timers/promises'
import { includesDomain, isCustomPlan, plans } from '@masthead/contract/plans.ts'
import type { Id } from '@masthead/contract/schemas/fields.ts'
import type { AccountRow } from '../../accounts/account.ts'
import { changePlanIn, lockPlan, type PlanChange } from '../../accounts/change-account.ts'
import type { Tx } from '../../database/database.ts'
import { type EventActor, recordEvent } from '../../events/record-event.ts'
import { Problem } from '../../kernel/problem.ts'
import type { ProjectContext } from '../../projects/create-project.ts'
import { recordDomainChange } from '../config/record-changes.ts'
import { type DomainRow, isServing } from '../domain.ts'
import { applyCertificateNeed } from '../https/certificate-need.ts'
import { lockHostnames, lockProjects } from '../locks.ts'
import { updateDomain } from '../store.ts'
import { recordTimeline } from '../timeline/timeline.ts'
import { resumedRow, suspendedRow } from '../transitions.ts'
import {
  accountsWithUnfinished,
  deleteUnfinished,
  domainsToChange,
  findUnfinished,
  insertUnfinished,
  lapsedNames,
} from './plan-change-store.ts'

export interface PlanChangeInput extends PlanChange {
  /** Without it, a plan that would suspend domains is rejected with their names. */
  suspendDomains: boolean
  /** Only the operator can put an account on a custom plan. */
  asOperator?: boolean
}

/** So few that nobody waits for long: on SQLite, everything else waits for a batch. */
const usualAtOnce = 25

/**
 * Changes the plan, then suspends or resumes the account's domains, a batch in each transaction. If the process dies in
 * between, `finishPlanChanges` does the rest.
 */
export async function changePlanOf(
  context: ProjectContext,
  input: PlanChangeInput,
  atOnce = usualAtOnce,
): Promise<AccountRow> {
  const { database, now } = context
  const { accountId, plan, by } = input
  const { account, isFinished } = await database.write(async (tx) => {
    const at = now()
    const current = await lockPlan(database, tx, accountId)
    if (isCustomPlan(plan) && current.plan !== plan && input.asOperator !== true) throw setByOperator(input)
    if (!input.suspendDomains) {
      const lapsed = await lapsedNames(tx, { accountId, plan })
      if (lapsed.length > 0) throw wouldSuspend(input, lapsed)
    }
    const account = await changePlanIn(tx, { ...input, at })
    const isFinished = await changeSomeDomains(context, tx, { account, by, at, atOnce })
    // One of an earlier change may be left.
    await deleteUnfinished(tx, accountId)
    if (!isFinished) await insertUnfinished(tx, accountId, by)
    return { account, isFinished }
  })
  // SQLite answers without a turn of the event loop, and others wait for theirs.
  for (let isOver = isFinished; !isOver; isOver = await changeNext(context, accountId, atOnce))
    await immediate()
  return account
}

/** Does a batch of each change whose process has died. Returns whether there may be more. */
export async function finishPlanChanges(context: ProjectContext, atOnce = usualAtOnce): Promise<boolean> {
  const failures: unknown[] = []
  let hasMore = false
  for (const id of await accountsWithUnfinished(context.database.read)) {
    const isFinished = await changeNext(context, id, atOnce).catch((error: unknown) => {
      failures.push(error)
      return true
    })
    hasMore ||= !isFinished
  }
  if (failures.length > 0) throw new AggregateError(failures, 'Some changes of plan were not finished')
  return hasMore
}

/** Follows the plan as it is then, so changes that overlap end with the last one. Returns whether nothing is left. */
function changeNext(context: ProjectContext, accountId: Id<'account'>, atOnce: number): Promise<boolean> {
  const { database, now } = context
  return database.write(async (tx) => {
    const account = await lockPlan(database, tx, accountId)
    const by = await findUnfinished(tx, accountId)
    if (by === null) return true
    const isFinished = await changeSomeDomains(context, tx, { account, by, at: now(), atOnce })
    if (isFinished) await deleteUnfinished(tx, accountId)
    return isFinished
  })
}

/** Returns whether all domains of the account are as the plan says. */
async function changeSomeDomains(
  context: ProjectContext,
  tx: Tx,
  { account, by, at, atOnce }: { account: AccountRow; by: EventActor; at: number; atOnce: number },
): Promise<boolean> {
  const { id: accountId, plan } = account
  const read = () => domainsToChange(tx, { accountId, plan }, atOnce)
  const seen = await read()
  await lockDomains(context, tx, seen)
  const locked = new Set(seen.map(({ hostname }) => hostname))
  const concerned = (await read()).filter(({ hostname }) => locked.has(hostname))
  const changed: { before: DomainRow; after: DomainRow }[] = []
  for (const row of concerned) {
    const isIncluded = includesDomain(plan, row.kind)
    const kind = isIncluded ? 'resumed' : 'suspended'
    const change = isIncluded ? resumedRow(row, at) : suspendedRow(row, at)
    await updateDomain(tx, row.id, change)
    changed.push({ before: row, after: { ...row, ...change } })
    await recordTimeline(tx, { domain: row, kind, at, by })
    const event = { accountId, projectId: row.project_id, by, at, data: { hostname: row.hostname } }
    await recordEvent(tx, { ...event, type: `domain.${kind}` })
  }
  for (const { before, after } of changed) {
    if (isServing(before) === isServing(after)) continue
    await recordDomainChange(context, tx, after, { stopped: !isServing(after) })
  }
  for (const one of changed) await applyCertificateNeed(context, tx, { ...one, at })
  return seen.length < atOnce
}

async function lockDomains({ database }: ProjectContext, tx: Tx, rows: readonly DomainRow[]): Promise<void> {
  const projects = rows.map(({ project_id }) => project_id)
  const hostnames = rows.map(({ hostname }) => hostname)
  await lockProjects(database, tx, projects)
  await lockHostnames(database, tx, hostnames)
}

function setByOperator({ plan }: PlanChange): Problem {
  const { title } = plans[plan]
  return new Problem(
    'plan_agreed',
    `${title} has custom limits, set by the operator of this server. Ask them to change the plan.`,
  )
}

function wouldSuspend({ plan }: PlanChange, domains: string[]): Problem {
  const what = plans[plan].customDomains === 0 ? 'custom domain' : 'wildcard domain'
  const count = domains.length === 1 ? `one ${what}` : `${domains.length} ${what}s`
  const detail = `${plans[plan].title} does not include ${what}s: ${count} would be suspended.`
  return new Problem('domains_would_suspend', detail, { extra: { domains } })
}
