import { includesDomain, isCustomPlan, plans } from '@masthead/contract/plans.ts'
import type { Id } from '@masthead/contract/schemas/fields.ts'
import type { AccountRow } from '../../accounts/account.ts'
import { changePlanIn, lockPlan, type PlanChange } from '../../accounts/change-account.ts'
import type { Tx } from '../../database/database.ts'
import { recordEvent } from '../../events/record-event.ts'
import { Problem } from '../../kernel/problem.ts'
import type { ProjectContext } from '../../projects/create-project.ts'
import { recordDomainChange } from '../config/record-changes.ts'
import { type DomainRow, isServing } from '../domain.ts'
import { applyCertificateNeed } from '../https/certificate-need.ts'
import { lockHostnames, lockProjects } from '../locks.ts'
import { domainsOfAccount, updateDomain } from '../store.ts'
import { recordTimeline } from '../timeline/timeline.ts'
import { resumedRow, suspendedRow } from '../transitions.ts'

export interface PlanChangeInput extends PlanChange {
  /** Without it, a plan that would suspend domains is rejected with their names. */
  suspendDomains: boolean
  /** Only the operator can put an account on a custom plan. */
  asOperator?: boolean
}

/** Changes the plan and, in the same transaction, suspends or resumes the account's domains. */
export function changePlanOf(context: ProjectContext, input: PlanChangeInput): Promise<AccountRow> {
  const { database, now } = context
  const { accountId, plan, by } = input
  return database.write(async (tx) => {
    const at = now()
    const current = await lockPlan(database, tx, accountId)
    if (isCustomPlan(plan) && current.plan !== plan && input.asOperator !== true) throw setByOperator(input)
    const domains = await lockDomainsOf(context, tx, accountId)
    const included = ({ kind }: DomainRow) => includesDomain(plan, kind)
    const concerned = domains.filter((row) => (row.state === 'suspended') === included(row))
    const lapsed = concerned.filter((row) => !included(row))
    if (lapsed.length > 0 && !input.suspendDomains) throw wouldSuspend(input, lapsed)

    const account = await changePlanIn(tx, { ...input, at })
    const changed: { before: DomainRow; after: DomainRow }[] = []
    for (const row of concerned) {
      const kind = included(row) ? 'resumed' : 'suspended'
      const change = included(row) ? resumedRow(row, at) : suspendedRow(row, at)
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
    return account
  })
}

/** All domains of the account, read after locking them. */
async function lockDomainsOf(
  { database }: ProjectContext,
  tx: Tx,
  accountId: Id<'account'>,
): Promise<DomainRow[]> {
  const seen = await domainsOfAccount(tx, accountId)
  const projects = seen.map(({ project_id }) => project_id)
  const hostnames = seen.map(({ hostname }) => hostname)
  await lockProjects(database, tx, projects)
  await lockHostnames(database, tx, hostnames)
  return domainsOfAccount(tx, accountId)
}

function setByOperator({ plan }: PlanChange): Problem {
  const { title } = plans[plan]
  return new Problem(
    'plan_agreed',
    `${title} has custom limits, set by the operator of this server. Ask them to change the plan.`,
  )
}

function wouldSuspend({ plan }: PlanChange, rows: DomainRow[]): Problem {
  const domains = rows.map(({ hostname }) => hostname)
  const what = plans[plan].customDomains === 0 ? 'custom domain' : 'wildcard domain'
  const count = domains.length === 1 ? `one ${what}` : `${domains.length} ${what}s`
  const detail = `${plans[plan].title} does not include ${what}s: ${count} would be suspended.`
  return new Problem('domains_would_suspend', detail, { extra: { domains } })
}
