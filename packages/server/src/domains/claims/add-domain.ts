import { randomInt } from 'node:crypto'
import type { DomainKind } from '@masthead/contract/domains/states.ts'
import { wildcardOver } from '@masthead/contract/domains/wildcards.ts'
import { includesDomain, isCustomPlan, planFor, plans } from '@masthead/contract/plans.ts'
import { type AccountRow, maxDomainsOf } from '../../accounts/account.ts'
import { lockPlan } from '../../accounts/change-account.ts'
import type { Tx } from '../../database/database.ts'
import { type EventActor, recordEvent } from '../../events/record-event.ts'
import { second } from '../../kernel/clock.ts'
import { newId } from '../../kernel/ids.ts'
import { Problem } from '../../kernel/problem.ts'
import { newToken } from '../../kernel/tokens.ts'
import type { ProjectRow } from '../../projects/project.ts'
import type { DomainContext } from '../context.ts'
import type { DomainRow } from '../domain.ts'
import { readHostname } from '../hostname.ts'
import { lockHostname, lockProjects } from '../locks.ts'
import { provedZone } from '../proofs/account-proving.ts'
import { lockProofs } from '../proofs/coverage.ts'
import { startProofFor } from '../proofs/start-proof.ts'
import { countDomains, findDomainOfAccount, insertDomain } from '../store.ts'
import { openTimeline } from '../timeline/timeline.ts'
import { moveDomainIn } from './move-domain.ts'
import { findTombstone } from './store.ts'

/** Leaves time to set the record that the response shows. */
const firstCheckAfter = 5 * second
/** Without characters that are easily confused when typed from a screen. */
const targetAlphabet = 'abcdefghjkmnpqrstuvwxyz23456789'
const targetLength = 10

export interface NewDomainInput {
  project: ProjectRow
  /** As typed. */
  hostname: string
  /** Move it here from another project of the account. */
  move: boolean
  /** By a key of this project, which must neither use nor see other projects of the account. */
  isLimited?: boolean
  by: EventActor
}

export function addDomain(context: DomainContext, input: NewDomainInput): Promise<DomainRow> {
  const { database, naming } = context
  return database.write(async (tx) => {
    const at = context.now()
    const account = await lockPlan(database, tx, input.project.account_id)
    refuseWithoutPlan(context, account, 'subdomain')
    const { hostname, kind, registrable } = readHostname(input.hostname, naming)
    refuseWithoutPlan(context, account, kind)

    // Adding and moving take the plan's lock, so until we hold the other locks it can only disappear.
    const seen = await findDomainOfAccount(tx, account.id, hostname)
    const projects = await lockProjects(database, tx, [
      input.project.id,
      seen?.project_id ?? input.project.id,
    ])
    const project = projects.get(input.project.id)
    if (project === undefined) throw new Problem('not_found', `There is no project ${input.project.slug}.`)
    if (project.active_deployment_id === null) throw nothingToServe(project)
    await lockHostname(database, tx, hostname)
    const existing = await findDomainOfAccount(tx, account.id, hostname)
    if (existing?.project_id === project.id) throw alreadyThere(project, hostname)
    await refuseBeyondMaximum(context, tx, account, project)
    if (existing !== undefined) {
      const from = projects.get(existing.project_id)
      if (from === undefined) throw beingRemoved(hostname)
      if (!input.move) throw onOtherProject(input.isLimited ? null : from, hostname)
      return moveDomainIn(context, tx, { row: existing, from, to: project, by: input.by, at })
    }

    if (input.isLimited) await refuseNameOfOther(tx, project, hostname, input.by)
    await lockProofs(database, tx, hostname)
    const proved = await provedZone(tx, hostname)
    if (proved !== null && proved.account !== account.id) throw provedElsewhere(hostname, proved.domain)
    const tombstone = await findTombstone(tx, hostname, account.id)
    const row: DomainRow = {
      id: newId('domain', at),
      account_id: account.id,
      project_id: project.id,
      hostname,
      kind,
      state: 'pending',
      state_before: null,
      held: 0,
      // The same target as before, so that a name removed by mistake works again without touching DNS.
      target: tombstone?.target ?? newTarget(),
      // Always new: a value left in DNS must not prove a later claim.
      challenge: newToken(),
      proof: null,
      proof_due_at: null,
      proof_noticed_at: null,
      registrable,
      created_at: at,
      verified_at: null,
      live_at: null,
      searching_since: at,
      asked_at: at,
      state_since: at,
      next_check_at: at + firstCheckAfter,
      lease_owner: null,
      lease_until: 0,
      last_check: null,
      probe: null,
      branch: null,
      proxy: null,
    }
    await insertDomain(tx, row)
    if (kind === 'wildcard' && proved === null) {
      await startProofFor(tx, account, { wildcard: hostname, by: input.by, at })
    }
    await openTimeline(tx, { domain: row, at, by: input.by })
    const event = { accountId: account.id, projectId: project.id, by: input.by, at }
    await recordEvent(tx, { ...event, type: 'domain.added', data: { hostname } })
    await context.changes.record(tx, { kind: 'domain', subject: hostname })
    return row
  })
}

function refuseWithoutPlan({ addresses }: DomainContext, { id, plan }: AccountRow, kind: DomainKind): void {
  if (includesDomain(plan, kind)) return
  const requiredPlan = planFor(kind)
  const what = kind === 'wildcard' ? 'Wildcard domains' : 'Custom domains'
  const detail = `${what} require ${plans[requiredPlan].title} or higher. This account is on ${plans[plan].title}.`
  const extra = { plan, requiredPlan, upgradeUrl: upgradeUrl(addresses, id) }
  throw new Problem('plan_required', detail, { extra })
}

async function refuseBeyondMaximum(
  { addresses }: DomainContext,
  tx: Tx,
  account: AccountRow,
  project: ProjectRow,
): Promise<void> {
  const { plan } = account
  const limit = maxDomainsOf(account)
  if (limit === null || (await countDomains(tx, project.id)) < limit) return
  const whose = isCustomPlan(plan) ? 'its custom limit allows' : `${plans[plan].title} allows`
  const detail = `The project ${project.slug} has ${limit} domains, the most that ${whose}.`
  const extra = { limit, plan, upgradeUrl: upgradeUrl(addresses, account.id) }
  throw new Problem('domain_limit_reached', detail, { extra })
}

/** A wildcard of another project shows its names there until they are domains of their own. */
async function refuseNameOfOther(
  tx: Tx,
  project: ProjectRow,
  hostname: string,
  by: EventActor,
): Promise<void> {
  const wildcard = wildcardOver(hostname)
  const over = wildcard === null ? undefined : await findDomainOfAccount(tx, project.account_id, wildcard)
  if (over === undefined || over.project_id === project.id) return
  const detail = `The key ${by.name} can't take ${hostname} from the wildcard of another project.`
  throw new Problem('forbidden', detail)
}

function upgradeUrl({ dashboard }: DomainContext['addresses'], accountId: AccountRow['id']): string {
  return `${dashboard}/accounts/${accountId}/plan`
}

/** Does not say which account it is. */
function provedElsewhere(hostname: string, domain: string): Problem {
  const detail = `Another account has proved ${domain}, so only it can add ${hostname}.`
  return new Problem('domain_proved_elsewhere', detail, { extra: { domain } })
}

function nothingToServe({ slug }: ProjectRow): Problem {
  return new Problem('deployment_required', `The project ${slug} has no active deployment to serve.`)
}

function alreadyThere({ slug }: ProjectRow, hostname: string): Problem {
  return new Problem('domain_exists', `The project ${slug} already has the domain ${hostname}.`)
}

/** Does not say which project it is if that is null. */
function onOtherProject(project: ProjectRow | null, hostname: string): Problem {
  const where = project === null ? 'another project' : `the project ${project.slug}`
  const extra = project === null ? {} : { project: project.slug }
  return new Problem('domain_on_other_project', `The domain ${hostname} is on ${where} of this account.`, {
    extra,
  })
}

/** Its project is hidden. */
function beingRemoved(hostname: string): Problem {
  const detail = `The domain ${hostname} is on a project that is being deleted. Try again in a few seconds.`
  return new Problem('unavailable', detail, { headers: { 'Retry-After': '5' } })
}

function newTarget(): string {
  let target = ''
  while (target.length < targetLength) target += targetAlphabet.charAt(randomInt(targetAlphabet.length))
  return target
}
