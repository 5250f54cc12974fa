import type { CaaVerdict } from '../../certificates/caa.ts'
import type { ServerView } from '../../dns/dns.ts'

/** What a check saw in DNS, before anybody judges it. */
export interface Observation {
  at: number
  hostname: string
  /** The zone that holds the name; null where none was found. */
  zone: string | null
  /** False: not even the registrable domain has nameservers. */
  delegated: boolean
  /** Resolvers: no authoritative server could be found or reached, so their word counts. */
  source: 'authoritative' | 'resolvers'
  servers: ServerObservation[]
  /** A name beside it that nobody can have set gets the same answer. */
  wildcard: boolean
  /** TXT values at `_masthead-challenge`; null where it was not asked for or could not be. */
  challenge: string[] | null
  resolvers: ResolverObservation
  caa: CaaVerdict
}

export interface SeenRecord {
  type: 'CNAME' | 'A' | 'AAAA'
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
  /** They refuse an answer that they give as soon as they need not validate it. */
  dnssecFailure: boolean
}
