import { certificateTroubleOf, certificateTroubles } from '@masthead/contract/domains/certificate-trouble.ts'
import { findings } from '@masthead/contract/domains/findings.ts'
import { shellName } from '@masthead/contract/domains/shell-name.ts'
import { type DomainState, domainStates } from '@masthead/contract/domains/states.ts'
import type { DnsCheck } from '@masthead/contract/schemas/domains/dns-check.ts'
import type { Domain } from '@masthead/contract/schemas/domains/domain.ts'
import { clockTime, formatDuration, timeAgo } from '../terminal/format.ts'
import type { Style } from '../terminal/output.ts'
import type { LineContext } from './check-lines.ts'

/** The last check found DNS correct, and the domain is served. */
export function isDnsCorrect({ state, lastCheck }: Domain): boolean {
  return (state === 'verified' || state === 'live') && lastCheck?.outcome === 'right'
}

/** Whether waiting can end, with success or not. */
export function isSettled(domain: Domain): boolean {
  return isDnsCorrect(domain) || isReady(domain) || domain.state === 'failed' || domain.state === 'suspended'
}

/** Everything is done before the move, and the next step is the owner's. */
export function isReady({ state, preparation }: Pick<Domain, 'state' | 'preparation'>): boolean {
  return state === 'prepared' && preparation?.ready === true
}

export function stateTitle(state: DomainState): string {
  // A newer server may have other states.
  return Object.hasOwn(domainStates, state) ? domainStates[state].title : state
}

/** The state, or the certificate problem if there is one. */
export function statusTitle(domain: Domain): string {
  const trouble = certificateTroubleOf(domain)
  return trouble === null ? stateTitle(domain.state) : certificateTroubles[trouble].title
}

export function statusStyle(domain: Domain): Style {
  const trouble = certificateTroubleOf(domain)
  if (trouble !== null) return trouble === 'refused' ? 'red' : 'yellow'
  const { state } = domain
  if (state === 'live' || state === 'verified') return 'green'
  return state === 'failed' || state === 'suspended' ? 'red' : 'yellow'
}

/** Why the domain is not live, or where it is served. */
export function pendingReason(domain: Domain, { now, also }: Pick<LineContext, 'now' | 'also'>): string {
  const { state, hostname, lastCheck, checkedUntil, records } = domain
  const found = firstReason(lastCheck)
  switch (state) {
    case 'pending': {
      const until = checkedUntil === null ? '' : `; checking until ${clockTime(checkedUntil, now)}`
      return `${found ?? `${records[0]?.type ?? 'The'} record not seen yet`}${until}`
    }
    case 'prepared':
      return preparedReason(domain)
    case 'verified':
      return `Served at ${domain.url}; ${missingCertificate(domain, now)}`
    case 'live':
      return `Served at ${domain.url}`
    case 'drifted':
      return `${found ?? 'DNS no longer points here'}; still served`
    case 'failed':
      return `${found ?? 'We stopped checking'}; run \`masthead domains verify ${shellName(hostname)}${also}\` to start again`
    case 'suspended':
      return domain.kind === 'wildcard'
        ? 'Change to a plan with wildcards to resume it'
        : 'Change to a plan with custom domains to resume it'
    default:
      return ''
  }
}

/** What is left to do before the record can be changed without anyone noticing. */
function preparedReason({ preparation, certificate }: Domain): string {
  if (preparation?.ready) return 'Ready to move: nothing changes for visitors until you change its record'
  if (certificate.status === 'valid') return 'Certificate in place; our test visit is next'
  return certificate.lastError === null ? 'Requesting its certificate' : 'Getting its certificate failed'
}

function missingCertificate(domain: Domain, now: number): string {
  const { lastError, nextAttemptAt } = domain.certificate
  const trouble = certificateTroubleOf(domain)
  if (trouble === null) return 'waiting for its certificate'
  if (lastError === null) return 'a CAA record forbids its certificate'
  const next = nextAttemptAt === null ? '' : `, next attempt at ${clockTime(nextAttemptAt, now)}`
  return `${trouble === 'refused' ? 'its certificate was refused' : 'getting its certificate failed'}${next}`
}

function firstReason(check: DnsCheck | null): string | undefined {
  const finding =
    check?.findings.find(({ effect }) => effect === 'stops') ??
    check?.findings.find(({ effect }) => effect === 'unclear')
  if (finding === undefined) return undefined
  return Object.hasOwn(findings, finding.code) ? findings[finding.code].title : finding.message
}

/** When the domain was added, when DNS is checked, and until when. */
export function waitingLine(
  { createdAt, lastCheck, nextCheckAt, checkedUntil }: Domain,
  now: number,
): string {
  const ago = (iso: string) => {
    const ms = wholeSeconds(now - Date.parse(iso))
    return ms > 0 && ms < 60_000 ? `${ms / 1000} s ago` : timeAgo(iso, now)
  }
  const looks = lastCheck === null ? '' : ` Checked ${ago(lastCheck.at)}${nextLook(nextCheckAt, now)}.`
  const left = checkedUntil === null ? null : wholeSeconds(Date.parse(checkedUntil) - now)
  return `Added ${ago(createdAt)}.${looks}${left === null ? '' : ` Checking ends in ${formatDuration(left)}.`}`
}

function nextLook(nextCheckAt: string | null, now: number): string {
  if (nextCheckAt === null) return ''
  const ms = wholeSeconds(Date.parse(nextCheckAt) - now)
  return ms === 0 ? ', checking now' : `, next check in ${formatDuration(ms)}`
}

function wholeSeconds(ms: number): number {
  return Math.max(0, Math.round(ms / 1000) * 1000)
}
