import type { CaaVerdict } from '../../certificates/caa/caa.ts'
import type { ServerView } from '../../dns/dns.ts'
import type { DnsAnswer } from '../../dns/dns-answer.ts'
import type { RouteObservation } from '../route.ts'

/** The record types that decide where a name points. */
export const routingTypes = ['CNAME', 'A', 'AAAA'] as const

/** What a check saw in DNS, before it is judged. */
export interface Observation {
  at: number
  hostname: string
  /** The zone of the name; null if none was found. */
  zone: string | null
  /** The zone above, if the name is a delegated subdomain; otherwise null. */
  above: string | null
  /** False if not even the registrable domain has nameservers. */
  delegated: boolean
  /** `resolvers` if no authoritative server could be found or reached. */
  source: 'authoritative' | 'resolvers'
  servers: ServerObservation[]
  /** The wildcard that answers for it (`*.acme.com`), detected by asking for random names; null if none does. */
  wildcard: string | null
  /** The DNAME above the name, from which its CNAME was made. Absent if there is none. */
  dname?: { fqdn: string; value: string }
  /** TXT values at `_masthead-challenge`; null if not asked for or not answered. */
  challenge: string[] | null
  /** Other names of the account that may prove an apex. */
  siblings: SiblingObservation[]
  resolvers: ResolverObservation
  /** Our own resolvers answer nothing at all, which says nothing about this name. */
  isOffline?: boolean
  caa: CaaVerdict
  /** What our requests through the proxy found. Absent if none were sent. */
  route?: RouteObservation
}

export interface SiblingObservation {
  hostname: string
  /** `proves`: its own target is in DNS, in the zone of the apex. */
  outcome: 'proves' | 'elsewhere' | 'delegated' | 'unclear'
}

export interface SeenRecord {
  type: (typeof routingTypes)[number]
  value: string
  ttl: number
}

export interface ServerObservation {
  name: string
  address: string | null
  outcome: ServerView['outcome']
  rcode: string | null
  /** Records of the name itself, not of what it points to. */
  records: SeenRecord[]
  /** How long resolvers may cache "not found" for this zone, in seconds. */
  negativeTtl: number | null
}

/** What visitors see through resolvers, which may have cached old answers. */
export interface ResolverObservation {
  /** Null if none of them answered. */
  rcode: string | null
  records: SeenRecord[]
  negativeTtl: number | null
  /** They repeatedly fail, but answer when validation is disabled. */
  dnssecFailure: boolean
}

/** An answer for A repeats the CNAME and includes the addresses of its target, which are not the name's own. */
export function ownRecords(
  hostname: string,
  answers: readonly (DnsAnswer | null | undefined)[],
): SeenRecord[] {
  const seen = new Map<string, SeenRecord>()
  for (const { name, type, value, ttl } of answers.flatMap((answer) => answer?.answers ?? [])) {
    if (name !== hostname || (type !== 'CNAME' && type !== 'A' && type !== 'AAAA')) continue
    seen.set(`${type} ${value}`, { type, value, ttl })
  }
  return [...seen.values()]
}
