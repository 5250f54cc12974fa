import { isIP } from 'node:net'
import { normalizeName } from '../../dns/domain-name.ts'
import { printableText } from '../../kernel/escape-text.ts'
import type { FoundProof, Wanted } from '../records.ts'
import type { Observation, SeenRecord, ServerObservation } from './observation.ts'
import { cloudflare, isCloudflareProxy, lab, type Provider, providersOf } from './providers.ts'

/** What an answer means for the wanted record. */
export type RecordVerdict =
  | 'right'
  | 'missing'
  /** A CNAME to another name. */
  | 'other_name'
  /** Addresses that may not be there: any at a subdomain, foreign ones at an apex. */
  | 'addresses'
  /** Addresses of Cloudflare's proxy, which hides what is set behind it. */
  | 'proxied'

export interface JudgedAnswer {
  server: ServerObservation
  verdict: RecordVerdict
}

/** An observation with what it means, answer by answer. */
export interface Evidence {
  observation: Observation
  wanted: Wanted
  /** Of the servers that answered for sure; the others prove nothing. */
  answers: JudgedAnswer[]
  /** Every record of the name that any of them has, once. */
  seen: SeenRecord[]
  allRight: boolean
  providers: Provider[]
  /** The zone that the records have to be set in; null where it is not known. */
  zone: string | null
  /** A subdomain that is delegated: at the top of its own zone there is no place for a CNAME. */
  isOwnZone: boolean
  /** In the lab every name is: there a zone comes into being with its first record. */
  registered: boolean
}

/** More than any sensible name has; what is stored and shown must have an end. */
const maxRecords = 20
const longestValue = 300

export function weigh(observation: Observation, wanted: Wanted): Evidence {
  const providers = providersOf(observation.servers.map(({ name }) => normalizeName(name)))
  const answers = observation.servers
    .filter(({ outcome }) => outcome === 'answered')
    .map((server) => ({ server, verdict: verdictOn(server.records, wanted, providers) }))
  const seen = distinctRecords(answers.flatMap(({ server }) => server.records))
  const isOwnZone =
    wanted.kind === 'subdomain' && observation.zone === wanted.hostname && !providers.includes(lab)
  return {
    observation,
    wanted,
    answers,
    seen,
    allRight: answers.length > 0 && answers.every(({ verdict }) => verdict === 'right'),
    providers,
    zone: isOwnZone ? observation.above : observation.zone,
    isOwnZone,
    registered: observation.delegated || seen.length > 0 || providers.includes(lab),
  }
}

export function verdictOn(
  records: readonly SeenRecord[],
  wanted: Wanted,
  providers: readonly Provider[],
): RecordVerdict {
  const names = records.filter(({ type }) => type === 'CNAME')
  const addresses = records.filter(({ type }) => type !== 'CNAME').map(({ value }) => value)
  const pointsHere = names.length > 0 && names.every(({ value }) => normalizeName(value) === wanted.target)
  if (wanted.kind === 'apex') {
    if (names.length > 0 && !pointsHere) return 'other_name'
    // A CNAME at an apex alone is not enough: resolvers differ in what they make of one.
    if (addresses.length === 0) return 'missing'
    if (addresses.every((address) => isOurs(address, wanted))) return 'right'
  } else if (addresses.length === 0) {
    if (names.length === 0) return 'missing'
    return pointsHere ? 'right' : 'other_name'
  }
  // In a zone that is kept elsewhere they are plain addresses of whatever stands at Cloudflare.
  const mayBeProxied = names.length === 0 && (providers.length === 0 || providers.includes(cloudflare))
  return mayBeProxied && addresses.every(isCloudflareProxy) ? 'proxied' : 'addresses'
}

export function isOurs(address: string, { edgeAddresses }: Wanted): boolean {
  const normal = normalAddress(address)
  return edgeAddresses.some((edge) => normalAddress(edge) === normal)
}

/** IPv6 has many spellings of one address. */
function normalAddress(address: string): string {
  return isIP(address) === 6 ? new URL(`http://[${address.split('%', 1)[0]}]`).hostname : address
}

/** Each value once, with the longest time that anybody may remember it, and fit to be shown. */
export function distinctRecords(records: readonly SeenRecord[]): SeenRecord[] {
  const seen = new Map<string, SeenRecord>()
  for (const record of records) {
    const value = printableText(
      record.type === 'CNAME' ? normalizeName(record.value) : record.value,
      longestValue,
    )
    const key = `${record.type} ${value}`
    const ttl = Math.max(record.ttl, seen.get(key)?.ttl ?? 0)
    if (seen.has(key) || seen.size < maxRecords) seen.set(key, { type: record.type, value, ttl })
  }
  return [...seen.values()]
}

/** What in DNS proves that the apex belongs to the account: the stronger proof where there are both. */
export function foundProof({
  wanted: { proof },
  observation,
}: Pick<Evidence, 'wanted' | 'observation'>): FoundProof | null {
  if (proof === null) return null
  const { challenge } = proof
  if (challenge !== null && includesChallenge(observation.challenge ?? [], challenge)) {
    return { by: 'challenge', what: challenge }
  }
  const sibling = observation.siblings.find(({ outcome }) => outcome === 'proves')
  return sibling === undefined ? null : { by: 'sibling', what: sibling.hostname }
}

export function includesChallenge(seen: readonly string[], challenge: string): boolean {
  return seen.some((value) => unquoted(value) === challenge)
}

/** Some providers keep the quotes that were pasted around a value. */
export function unquoted(value: string): string {
  return value.replace(/^[\s"]+|[\s"]+$/g, '')
}
