import { internalCaTitle } from '@masthead/contract/internal-ca.ts'
import { day, hour } from '../clock.ts'

/** How many orders a CA takes, counted from our own log. */
export interface OrderLimit {
  count: number
  within: number
  per: 'account' | 'registered_domain' | 'name'
  /** Orders, those that became or may become a certificate, or those that failed at a challenge. */
  of: 'orders' | 'certificates' | 'failures'
  /** So many of them are left to renewals. */
  reserve?: number
  /** Only for names that have failed within it: those that are new do not wait for those that fail. */
  afterFailure?: true
}

export interface Authority {
  directoryUrl: string
  title: string
  /** Its names in CAA records. */
  identities: readonly string[]
  limits: readonly OrderLimit[]
}

/** Kept to with any CA that does not tell its limits. */
const ordersPerAccount: OrderLimit = {
  count: 300,
  within: 3 * hour,
  per: 'account',
  of: 'orders',
  reserve: 60,
}

/**
 * Our own, with every CA: a zone that answers us rightly and the CA wrongly costs an order a try, and all tenants
 * share the account. A registered domain is as near as names come to a tenant.
 */
const sharesOfFailures: readonly OrderLimit[] = [
  { count: 20, within: hour, per: 'registered_domain', of: 'failures', afterFailure: true },
  { count: 150, within: 3 * hour, per: 'account', of: 'failures', reserve: 30, afterFailure: true },
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
      ordersPerAccount,
      { count: 50, within: 7 * day, per: 'registered_domain', of: 'certificates' },
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
      { count: 1_500, within: 3 * hour, per: 'account', of: 'orders', reserve: 300 },
      { count: 30_000, within: 7 * day, per: 'registered_domain', of: 'certificates' },
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

/** A CA of which nothing is known but its address. */
export function unknownAuthority(directoryUrl: string, identities: readonly string[] = []): Authority {
  const limits = [ordersPerAccount, failuresPerName, ...sharesOfFailures]
  return { directoryUrl, title: new URL(directoryUrl).host, identities, limits }
}
