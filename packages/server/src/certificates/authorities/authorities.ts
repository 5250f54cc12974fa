import { internalCaTitle } from '@masthead/contract/domains/certificate-trouble.ts'
import { day, hour } from '../../kernel/clock.ts'
import type { BucketSize } from './token-bucket.ts'

/** How many orders a CA takes: a token bucket, as Let's Encrypt describes its own. */
export interface OrderLimit extends BucketSize {
  per: 'account' | 'registered_domain' | 'name'
  /** Orders, those that became or may become a certificate, or those that failed at a challenge. */
  of: 'orders' | 'certificates' | 'failures'
  /** So many are left to renewals, and so many more to names that come first. */
  reserve?: { renewals: number; first: number }
  /** Only for names that have failed within it: those that are new do not wait for those that fail. */
  afterFailure?: true
}

export interface Authority {
  directoryUrl: string
  title: string
  /** Its names in CAA records. */
  identities: readonly string[]
  /** None: as many as there are names. */
  limits: readonly OrderLimit[]
}

/** A fifth is left to renewals, a tenth more to names that come first. */
function ordersPerAccount(size: BucketSize): OrderLimit {
  const reserve = { renewals: Math.floor(size.count / 5), first: Math.floor(size.count / 10) }
  return { ...size, per: 'account', of: 'orders', reserve }
}

function certificatesPerDomain(size: BucketSize): OrderLimit {
  return { ...size, per: 'registered_domain', of: 'certificates' }
}

/**
 * Our own, where orders are counted: a zone that answers us rightly and the CA wrongly costs an order a try, and all
 * tenants share the account.
 */
const sharesOfFailures: readonly OrderLimit[] = [
  { count: 20, within: hour, per: 'registered_domain', of: 'failures', afterFailure: true },
  { count: 120, within: 3 * hour, per: 'account', of: 'failures', afterFailure: true },
]
/** More than the retries of an hour take, so that somebody who has mended something can ask for one at once. */
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
      ...sharesOfFailures,
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
      ...sharesOfFailures,
    ],
  },
} as const satisfies Record<string, Authority>

/** A CA that browsers trust, or its staging: it signs names of the public DNS alone. */
export function isPublicAuthority(directoryUrl: string | undefined): boolean {
  return Object.values(authorities).some((known) => known.directoryUrl === directoryUrl)
}

/** Who an issuer is, by the id it is stored under: `internal`, or the URL of a directory. */
export function titleOfIssuer(id: string): string {
  if (id === 'internal') return internalCaTitle
  const known = Object.values(authorities).find(({ directoryUrl }) => directoryUrl === id)
  return known?.title ?? unknownAuthority(id).title
}

/** A CA of which nothing is known but its address: most are private, and have no limits. */
export function unknownAuthority(directoryUrl: string, identities: readonly string[] = []): Authority {
  const limits = [failuresPerName]
  return { directoryUrl, title: new URL(directoryUrl).host, identities, limits }
}

/** What an operator says of the CA's limits. Null: there are none. */
export interface Budget {
  orders: BucketSize
  /** For one registered domain; null: as is known of the CA. */
  certificates: BucketSize | null
}

export function withBudget(authority: Authority, budget: Budget | null): Authority {
  if (budget === null) return { ...authority, limits: [failuresPerName] }
  const { orders, certificates } = budget
  const replaced = (limit: OrderLimit) =>
    limit.of === 'orders' ||
    (limit.of === 'certificates' && limit.per === 'registered_domain' && certificates !== null)
  const known = authority.limits.filter((limit) => !replaced(limit) && limit.afterFailure !== true)
  const limits = [ordersPerAccount(orders), ...known, ...sharesOfFailures]
  return {
    ...authority,
    limits: certificates === null ? limits : [certificatesPerDomain(certificates), ...limits],
  }
}
