import type { DelegatingRecord } from '../caa/caa.ts'

/** Where the dns-01 challenges of a name lead. */
export interface Delegation {
  /** The label below `acme.{platform}` that they are delegated to; null if they do not lead to us. */
  label: string | null
  /** Nothing but dns-01 can prove the name: it is a wildcard, or its visitors are still sent elsewhere. */
  isOnlyWay: boolean
  /** TLS ends at a proxy, so that tls-alpn-01 cannot work. */
  isProxied?: boolean
  /** The record that delegates them; null without a nameserver of our own. */
  record: DelegatingRecord | null
}

export interface Delegations {
  /** Asks the DNS now. Null if no delegation to us can be expected. */
  find(name: string): Promise<Delegation | null>
}
