import { isIPv6 } from '../kernel/ip-address.ts'
import { type DnsAnswer, isDefinite } from './dns-answer.ts'
import type { DnsErrorKind } from './dns-error.ts'
import type { RecordType } from './dns-record.ts'
import type { Zone } from './find-zone.ts'

/** `lame`: it answers, but not for this zone. */
export type ViewOutcome =
  | 'answered'
  | 'timeout'
  | 'unreachable'
  | 'lame'
  | 'refused'
  | 'servfail'
  | 'malformed'
  | 'private_address'
  | 'no_address'

/** What one server answers at one of its addresses. */
export interface ServerView {
  /** The nameserver's name, or `resolver`. */
  name: string
  /** Null if the name has no address. */
  address: string | null
  outcome: ViewOutcome
  /** All types asked for if the outcome is `answered`, otherwise empty. */
  answers: Partial<Record<RecordType, DnsAnswer>>
}

export function outcomeOf(answer: DnsAnswer, asked: 'nameserver' | 'resolver'): ViewOutcome {
  if (answer.rcode === 'REFUSED') return 'refused'
  if (answer.rcode === 'SERVFAIL') return 'servfail'
  return isDefinite(answer) && (asked === 'resolver' || answer.authoritative) ? 'answered' : 'lame'
}

export const outcomeOfError = {
  timeout: 'timeout',
  unreachable: 'unreachable',
  malformed: 'malformed',
  truncated: 'unreachable',
} as const satisfies Record<DnsErrorKind, ViewOutcome>

/** Whether the server sent any reply, useful or not. */
export function wasReached({ outcome }: ServerView): boolean {
  return outcome !== 'private_address' && outcome !== 'no_address' && !isNoReply(outcome)
}

function isNoReply(outcome: ViewOutcome): boolean {
  return outcome === 'timeout' || outcome === 'unreachable'
}

/** Many machines have no IPv6 connection. A server that answers at another address is not to blame for that. */
export function withoutUnroutable(views: ServerView[]): ServerView[] {
  return views.filter(
    ({ name, address, outcome }) =>
      address === null ||
      !isIPv6(address) ||
      !isNoReply(outcome) ||
      !views.some((other) => other.name === name && other.outcome === 'answered'),
  )
}

export interface AddressToAsk {
  name: string
  address: string | null
}

/** Each address once, and one of every server before a second of any. */
export function addressesToAsk(servers: Zone['servers'], most: number): AddressToAsk[] {
  const rounds = Math.max(0, ...servers.map(({ addresses }) => addresses.length))
  const chosen = new Map<string, AddressToAsk>()
  for (let round = 0; round < rounds; round++) {
    for (const { name, addresses } of servers) {
      const address = addresses[round]
      if (address !== undefined && chosen.size < most && !chosen.has(address))
        chosen.set(address, { name, address })
    }
  }
  const withoutAddress = servers.filter(({ addresses }) => addresses.length === 0)
  return [...chosen.values(), ...withoutAddress.map(({ name }) => ({ name, address: null }))]
}
