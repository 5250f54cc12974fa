import { internalCaTitle } from '@masthead/contract/internal-ca.ts'
import { day, hour } from '../clock.ts'

/** How many orders a CA takes, counted from our own log. */
export interface OrderLimit {
  count: number
  within: number
  per: 'account' | 'registered_domain' | 'name'
  /** Orders, those that became or may become a certificate, or those that failed at a challenge. */
  of: 'orders' | 'certificates' | 'failures'
}

export interface Authority {
  directoryUrl: string
  title: string
  /** Its names in CAA records. */
  identities: readonly string[]
  limits: readonly OrderLimit[]
}

/** Kept to with any CA that does not tell its limits. */
const ordersPerAccount: OrderLimit = { count: 300, within: 3 * hour, per: 'account', of: 'orders' }

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
    ],
  },
  'letsencrypt-staging': {
    directoryUrl: 'https://acme-staging-v02.api.letsencrypt.org/directory',
    title: "Let's Encrypt (staging)",
    identities: ['letsencrypt.org'],
    limits: [
      { count: 1_500, within: 3 * hour, per: 'account', of: 'orders' },
      { count: 30_000, within: 7 * day, per: 'registered_domain', of: 'certificates' },
      { count: 200, within: hour, per: 'name', of: 'failures' },
    ],
  },
} as const satisfies Record<string, Authority>

/** Who an issuer is, by the id it is stored under: `internal`, or the URL of a directory. */
export function titleOfIssuer(id: string): string {
  if (id === 'internal') return internalCaTitle
  const known = Object.values(authorities).find(({ directoryUrl }) => directoryUrl === id)
  return known?.title ?? unknownAuthority(id).title
}

/** A CA of which nothing is known but its address. */
export function unknownAuthority(directoryUrl: string, identities: readonly string[] = []): Authority {
  return { directoryUrl, title: new URL(directoryUrl).host, identities, limits: [ordersPerAccount] }
}
