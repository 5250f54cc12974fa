import { isWildcard, withoutWildcard } from '../../dns/domain-name.ts'
import { type CertificateError, causeOf, isFailureKind } from '../jobs/backoff.ts'
import type { FailureKind } from '../jobs/failure.ts'

export interface FailureAdvice {
  problem: string
  fix: string
}

/** For the operator: why no certificates are issued, for reasons that are no name's, and what to do. */
export function explainFailure(kind: FailureKind, title: string): FailureAdvice {
  switch (kind) {
    case 'account_refused':
      return {
        problem: `${title} refuses the account of this server, so it issues no certificates.`,
        fix: 'Settle what it says with it, register a new account (npx masthead-server replace-ca-account), or name another certificate authority in MASTHEAD_CA.',
      }
    case 'rate_limited':
      return {
        problem: `${title} limits how often this server may order, so certificates wait.`,
        fix: 'We retry when it allows. If this lasts, ask it for higher limits, or name a second certificate authority in MASTHEAD_CA.',
      }
    case 'unreachable':
      return {
        problem: `${title} cannot be reached, so it issues no certificates.`,
        fix: 'Allow connections from this machine to it; masthead-server doctor shows why they fail. If this lasts, name a second certificate authority in MASTHEAD_CA.',
      }
    case 'wildcard':
      return {
        problem: 'This server has no nameserver for challenges, which wildcards need.',
        fix: 'Set MASTHEAD_DNS_LISTEN. Until then, owners of wildcards can upload a certificate.',
      }
    case 'interrupted':
    case 'fault':
      return {
        problem: 'This server cannot complete its orders for certificates.',
        fix: 'Read the error, and the log of the server.',
      }
    default:
      return {
        problem: `${title} issues no certificates because of a problem on its side.`,
        fix: 'See whether it reports an outage. If this lasts, name a second certificate authority in MASTHEAD_CA.',
      }
  }
}

/** For names of the platform, which nobody can verify again. The hint of the error is for owners of domains. */
export function operatorFix(name: string, { kind, authority, add, hint }: CertificateError): string {
  const cause = isFailureKind(kind) ? causeOf(kind) : 'name'
  if (cause === 'authority' || cause === 'server') return explainFailure(kind, authority).fix
  switch (kind) {
    case 'caa':
    case 'caa_forbids':
      return 'Allow it in the CAA records. We retry automatically.'
    case 'delegation':
      return add == null ? hint : `Set in DNS: ${add.fqdn} ${add.type} ${add.value}. We retry automatically.`
    case 'connection':
    case 'dns':
    case 'unauthorized':
      return isWildcard(name) ? challengeFix(name) : hint
    case 'rejected_name':
    case 'malformed':
    case 'other':
      return 'Ask the certificate authority why, or name another one in MASTHEAD_CA.'
    default:
      return hint
  }
}

/** Wildcards are checked by DNS only. */
function challengeFix(name: string): string {
  const record = `_acme-challenge.${withoutWildcard(name)}`
  return `Check the CNAME record of ${record}, and that everybody can reach the nameserver for challenges. We retry automatically.`
}

/** One failure of another kind may have been a lost connection. */
const certainAtOnce: ReadonlySet<FailureKind> = new Set(['account_refused', 'rate_limited'])

/** Whether the operator should hear of it after this many failures. */
export function isCertain(kind: FailureKind, failures: number): boolean {
  return failures > 1 || certainAtOnce.has(kind)
}
