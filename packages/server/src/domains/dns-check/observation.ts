import type { CaaVerdict } from '../../certificates/caa/caa.ts'
import type { ServerView } from '../../dns/dns.ts'
import type { DnsAnswer } from '../../dns/dns-answer.ts'

/** The types of records that lead a name somewhere. */
export const routingTypes = ['CNAME', 'A', 'AAAA'] as const

/** What a check saw in DNS, before anybody judges it. */
export interface Observation {
  at: number
  hostname: string
  /** The zone that holds the name; null where none was found. */
  zone: string | null
  /** The zone above, where the name is a subdomain that is a zone of its own; null elsewhere. */
  above: string | null
  /** False: not even the registrable domain has nameservers. */
  delegated: boolean
  /** Resolvers: no authoritative server could be found or reached, so their word counts. */
  source: 'authoritative' | 'resolvers'
  servers: ServerObservation[]
  /** The wildcard that answers for it (`*.acme.com`), told by names that nobody can have set; null where none does. */
  wildcard: string | null
  /** TXT values at `_masthead-challenge`; null where it was not asked for or could not be. */
  challenge: string[] | null
  /** Other names of the account that may prove an apex. */
  siblings: SiblingObservation[]
  resolvers: ResolverObservation
  caa: CaaVerdict
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
  /** How long resolvers may remember a "not found" of this zone, in seconds. */
  negativeTtl: number | null
}

/** What the rest of the world gets to see, with what it may have cached. */
export interface ResolverObservation {
  /** Null: none of them answered. */
  rcode: string | null
  records: SeenRecord[]
  negativeTtl: number | null
  /** They refuse, time and again, an answer that they give as soon as they need not validate it. */
  dnssecFailure: boolean
}

/** The answer to A repeats the CNAME, and has the addresses of what that leads to, which are not the name's own. */
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
