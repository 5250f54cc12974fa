import { isWithin, normalizeName } from '../../dns/domain-name.ts'
import { printableText } from '../../kernel/escape-text.ts'
import { isIP } from '../../kernel/ip-address.ts'
import type { FoundProof, Wanted } from '../records.ts'
import { hasArrived } from '../route.ts'
import type { Observation, SeenRecord, ServerObservation } from './observation.ts'
import { cdnOf, cloudflare, isCdnTarget, lab, type Provider, providersOf } from './providers.ts'

/** What an answer means for the required record. */
export type RecordVerdict =
  | 'right'
  | 'missing'
  /** A CNAME to another name. */
  | 'other_name'
  /** Addresses that must not be there: any at a subdomain, other than ours at an apex. */
  | 'addresses'
  /** Addresses or names of a known CDN, which hides where it leads. */
  | 'proxied'
  /** The domain is marked as behind a proxy, so our own requests tell where it leads. */
  | 'behind'

export interface JudgedAnswer {
  server: ServerObservation
  verdict: RecordVerdict
}

/** An observation with a verdict on each answer. */
export interface Evidence {
  observation: Observation
  wanted: Wanted
  /** Only of servers with a definite answer; the others prove nothing. */
  answers: JudgedAnswer[]
  /** All records of the name across these servers, without duplicates. */
  seen: SeenRecord[]
  allRight: boolean
  providers: Provider[]
  /** The zone to set the records in; null if unknown. */
  zone: string | null
  /** A delegated subdomain, which cannot have a CNAME at the top of its own zone. */
  isOwnZone: boolean
  /** Always true in the lab, where the first record creates the zone. */
  registered: boolean
}

/** More than any sensible name has. Bounds what is stored and shown. */
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
    allRight: answers.length > 0 && answers.every(({ verdict }) => isRight(verdict, observation)),
    providers,
    zone: isOwnZone ? observation.above : observation.zone,
    isOwnZone,
    registered: observation.delegated || seen.length > 0 || providers.includes(lab),
  }
}

/** Whether the record, or the route through the proxy that it leads to, is right. */
export function isRight(verdict: RecordVerdict, { route }: Pick<Observation, 'route'>): boolean {
  return verdict === 'right' || (verdict === 'behind' && route !== undefined && hasArrived(route))
}

/** Whether all servers have our own record, so that no proxy is in between. */
export function isDirect({ answers }: Pick<Evidence, 'answers'>): boolean {
  return answers.length > 0 && answers.every(({ verdict }) => verdict === 'right')
}

export function verdictOn(
  records: readonly SeenRecord[],
  wanted: Wanted,
  providers: readonly Provider[],
): RecordVerdict {
  const verdict = verdictWithoutProxy(records, wanted, providers)
  if (wanted.proxy === null || verdict === 'right' || verdict === 'missing') return verdict
  // That leads to another claim, or here without a proxy.
  const isOurOwn = records.every(({ type, value }) =>
    type === 'CNAME' ? isWithin(normalizeName(value), wanted.targetDomain) : isOurs(value, wanted),
  )
  const isOtherTarget = records.some(
    ({ type, value }) => type === 'CNAME' && isWithin(normalizeName(value), wanted.targetDomain),
  )
  return isOurOwn || isOtherTarget ? verdict : 'behind'
}

function verdictWithoutProxy(
  records: readonly SeenRecord[],
  wanted: Wanted,
  providers: readonly Provider[],
): RecordVerdict {
  const names = records.filter(({ type }) => type === 'CNAME')
  const addresses = records.filter(({ type }) => type !== 'CNAME').map(({ value }) => value)
  const pointsHere = names.length > 0 && names.every(({ value }) => isTarget(normalizeName(value), wanted))
  if (wanted.kind === 'apex') {
    if (names.length > 0 && !pointsHere) return 'other_name'
    // A CNAME alone is not enough at an apex: resolvers handle it differently.
    if (addresses.length === 0) return 'missing'
    if (addresses.every((address) => isOurs(address, wanted))) return 'right'
  } else if (isCovered(wanted) && names.length === 0 && addresses.length > 0) {
    if (addresses.every((address) => isOurs(address, wanted))) return 'right'
  } else if (addresses.length === 0) {
    if (names.length === 0) return 'missing'
    if (pointsHere) return 'right'
    return names.every(({ value }) => isCdnTarget(normalizeName(value))) ? 'proxied' : 'other_name'
  }
  if (names.length > 0) return 'addresses'
  // In a zone hosted elsewhere, they are plain addresses of some site at Cloudflare.
  const mayBeCloudflare = providers.length === 0 || providers.includes(cloudflare)
  const cdns = new Set(addresses.map(cdnOf))
  const [cdn = null] = cdns.size === 1 ? cdns : []
  return cdn !== null && (cdn !== 'cloudflare' || mayBeCloudflare) ? 'proxied' : 'addresses'
}

/** Under a domain that the account has proved, the target of any of our domains will do. */
function isTarget(name: string, wanted: Wanted): boolean {
  if (name === wanted.target) return true
  const { coverage, targetDomain, kind } = wanted
  if (kind === 'apex' || coverage?.by !== 'own') return false
  return name !== targetDomain && isWithin(name, targetDomain) && name !== coverage.rivalTarget
}

function isCovered({ coverage }: Wanted): boolean {
  return coverage?.by === 'own'
}

export function isOurs(address: string, { edgeAddresses }: Wanted): boolean {
  const normal = normalAddress(address)
  return edgeAddresses.some((edge) => normalAddress(edge) === normal)
}

/** One IPv6 address can be written in many ways. */
function normalAddress(address: string): string {
  return isIP(address) === 6 ? new URL(`http://[${address.split('%', 1)[0]}]`).hostname : address
}

/** Each value once, with its longest TTL, safe to display. */
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

/** The proof of ownership found in DNS; the stronger one if there are two. */
export function foundProof({
  wanted: { kind, proof, coverage },
  observation,
}: Pick<Evidence, 'wanted' | 'observation'>): FoundProof | null {
  if (proof === null) return null
  if (coverage?.by === 'own') return { by: 'account', what: coverage.domain }
  // Its record is the account's, and counts only once the account has proved the domain.
  if (kind === 'wildcard') return null
  const { challenge } = proof
  if (challenge !== null && includesChallenge(observation.challenge ?? [], challenge)) {
    return { by: 'challenge', what: challenge }
  }
  const sibling = observation.siblings.find(({ outcome }) => outcome === 'proves')
  return sibling === undefined ? null : { by: 'sibling', what: sibling.hostname }
}

/** Whether the account needs no further proof, so that we send requests for it. */
export function isProved(evidence: Pick<Evidence, 'wanted' | 'observation'>): boolean {
  const { proof, coverage } = evidence.wanted
  if (coverage?.by === 'other' && !coverage.holds) return false
  return proof === null || proof.need === 'given' || foundProof(evidence) !== null
}

export function includesChallenge(seen: readonly string[], challenge: string): boolean {
  return seen.some((value) => unquoted(value) === challenge)
}

/** Some providers keep quotes that were pasted around a value. */
export function unquoted(value: string): string {
  return value.replace(/^[\s"]+|[\s"]+$/g, '')
}
