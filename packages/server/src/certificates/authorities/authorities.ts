import { internalCaTitle } from '@masthead/contract/domains/certificate-trouble.ts'
import { day, hour } from '../../kernel/clock.ts'
import type { BucketSize } from './token-bucket.ts'

/** How many orders a CA accepts: a token bucket, like the ones Let's Encrypt documents. */
export interface OrderLimit extends BucketSize {
  per: 'account' | 'registered_domain' | 'name'
  /** All orders, those that became or may become a certificate, or those that failed a challenge. */
  of: 'orders' | 'certificates' | 'failures'
  /** Tokens reserved for renewals, and further tokens reserved for first-priority names. */
  reserve?: { renewals: number; first: number }
  /** Applies only to names that failed within the period, so that new names don't wait for failing ones. */
  afterFailure?: true
}

export interface Authority {
  directoryUrl: string
  title: string
  /** Its identities in CAA records. */
  identities: readonly string[]
  /** Unlimited if empty. */
  limits: readonly OrderLimit[]
}

/** Reserves a fifth for renewals and another tenth for first-priority names. */
function ordersPerAccount(size: BucketSize): OrderLimit {
  const reserve = { renewals: Math.floor(size.count / 5), first: Math.floor(size.count / 10) }
  return { ...size, per: 'account', of: 'orders', reserve }
}

function certificatesPerDomain(size: BucketSize): OrderLimit {
  return { ...size, per: 'registered_domain', of: 'certificates' }
}

/**
 * Our own limits, for CAs that count orders: a zone that gives us good answers and the CA bad ones costs an order per
 * attempt, and all our accounts share one account at the CA.
 */
const sharedFailureLimits: readonly OrderLimit[] = [
  { count: 20, within: hour, per: 'registered_domain', of: 'failures', afterFailure: true },
  { count: 120, within: 3 * hour, per: 'account', of: 'failures', afterFailure: true },
]
/** More than the automatic retries of an hour, so that someone who fixed the problem can retry immediately. */
const failuresPerName: OrderLimit = { count: 10, within: hour, per: 'name', of: 'failures' }

/** https://letsencrypt.org/docs/rate-limits/ and /docs/staging-environment/, August 2026. */
export const authorities = {
  letsencrypt: {
    directoryUrl: 'https://acme-v02.api.letsencrypt.org/directory',
    title: "Let's Encrypt",
    identities: ['letsencrypt.org'],
    limits: [
      ordersPerAccount({ count: 300, within: 3 * hour }),
      certificatesPerDomain({ count: 50, within: 7 * day }),
      { count: 5, within: 7 * day, per: 'name', of: 'certificates' },
      { count: 5, within: hour, per: 'name', of: 'failures' },
      ...sharedFailureLimits,
    ],
  },
  'letsencrypt-staging': {
    directoryUrl: 'https://acme-staging-v02.api.letsencrypt.org/directory',
    title: "Let's Encrypt (staging)",
    identities: ['letsencrypt.org'],
    limits: [
      ordersPerAccount({ count: 1_500, within: 3 * hour }),
      certificatesPerDomain({ count: 30_000, within: 7 * day }),
      failuresPerName,
      ...sharedFailureLimits,
    ],
  },
} as const satisfies Record<string, Authority>

/** A CA that browsers trust, or its staging environment: it only signs names in the public DNS. */
export function isPublicAuthority(directoryUrl: string): boolean {
  return Object.values(authorities).some((known) => known.directoryUrl === directoryUrl)
}

/** The title of an issuer by its id: `internal`, or the URL of an ACME directory. */
export function titleOfIssuer(id: string): string {
  if (id === 'internal') return internalCaTitle
  if (!URL.canParse(id)) return id
  const known = Object.values(authorities).find(({ directoryUrl }) => directoryUrl === id)
  return known?.title ?? unknownAuthority(id).title
}

/** A CA of which we only know the URL: most are private and have no limits. */
export function unknownAuthority(directoryUrl: string, identities: readonly string[] = []): Authority {
  const limits = [failuresPerName]
  return { directoryUrl, title: new URL(directoryUrl).host, identities, limits }
}

/** The CA's limits as set by the operator. */
export interface Budget {
  orders: BucketSize
  /** Per registered domain; null for the known limit of the CA. */
  certificates: BucketSize | null
}

/** A null budget means no limits. */
export function withBudget(authority: Authority, budget: Budget | null): Authority {
  if (budget === null) return { ...authority, limits: [failuresPerName] }
  const { orders, certificates } = budget
  const isReplaced = (limit: OrderLimit) =>
    limit.of === 'orders' ||
    (limit.of === 'certificates' && limit.per === 'registered_domain' && certificates !== null)
  const known = authority.limits.filter((limit) => !isReplaced(limit) && limit.afterFailure !== true)
  const limits = [ordersPerAccount(orders), ...known, ...sharedFailureLimits]
  return {
    ...authority,
    limits: certificates === null ? limits : [certificatesPerDomain(certificates), ...limits],
  }
}
