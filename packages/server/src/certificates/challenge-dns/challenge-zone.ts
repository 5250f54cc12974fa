import { isAskable, isWithin } from '../../dns/domain-name.ts'
import { refusedAnswer, type ZoneAnswer, type ZoneQuestion, type ZoneRecord } from '../../dns/server/zone.ts'

export interface ChallengeZoneOptions {
  platformDomain: string
  /** Where the nameserver is reached: the public addresses of the edge. */
  edgeAddresses: readonly string[]
  /** The values of the TXT records at a label. */
  findValues(label: string): Promise<readonly string[]>
}

/** Stays the same for days, and changes with the configuration. */
const ownTtl = 3_600
/**
 * Not to be cached: a certificate authority may have asked a moment before the value was there, or for the value of
 * another order. A domain and its wildcard share a label.
 */
const challengeTtl = 0

/** The zone for challenges: `_acme-challenge.www.acme.com CNAME {label}.acme.{platform}`. */
export function challengeZoneName(platformDomain: string): string {
  return `acme.${platformDomain}`
}

/** What delegates the zone to us, in the zone of the platform domain. */
export function zoneDelegation({
  platformDomain,
  edgeAddresses,
}: Pick<ChallengeZoneOptions, 'platformDomain' | 'edgeAddresses'>): {
  fqdn: string
  type: 'NS' | 'A' | 'AAAA'
  value: string
}[] {
  const fqdn = challengeZoneName(platformDomain)
  const nameserver = `ns.${fqdn}`
  const addresses = edgeAddresses.map((value) => {
    return { fqdn: nameserver, type: value.includes(':') ? 'AAAA' : 'A', value } as const
  })
  return [{ fqdn, type: 'NS', value: nameserver }, ...addresses]
}

export function challengeTarget(label: string, platformDomain: string): string {
  return `${label}.${challengeZoneName(platformDomain)}`
}

/**
 * Answers for the zone. Every possible label exists, whether or not a challenge is under way, so that a record that
 * points to it never looks broken and nobody learns which ones are in use. Only TXT questions are looked up.
 */
export function createChallengeZone({ platformDomain, edgeAddresses, findValues }: ChallengeZoneOptions) {
  const zone = challengeZoneName(platformDomain)
  const nameserver = `ns.${zone}`
  // Nobody copies the zone, so its serial number never changes.
  const numbers = `1 7200 900 1209600 ${challengeTtl}`
  const start = {
    name: zone,
    type: 'SOA',
    value: `${nameserver} hostmaster.${platformDomain} ${numbers}`,
  } as const
  const addressesOf = (name: string) =>
    edgeAddresses.map((value): ZoneRecord => {
      return { name, type: value.includes(':') ? 'AAAA' : 'A', ttl: ownTtl, value }
    })
  const addresses = addressesOf(nameserver)
  const apex: readonly ZoneRecord[] = [
    { ...start, ttl: ownTtl },
    { name: zone, type: 'NS', ttl: ownTtl, value: nameserver },
    // A project may have the slug `acme`, and the delegation hides the platform's wildcard.
    ...addressesOf(zone),
  ]

  const found = (answers: ZoneRecord[]): ZoneAnswer => ({
    rcode: 'NOERROR',
    answers,
    // The TTL of a negative answer (RFC 2308, section 3).
    authority: answers.length === 0 ? [{ ...start, ttl: challengeTtl }] : [],
    additional: answers.some(({ type }) => type === 'NS') ? addresses : [],
  })

  return async ({ name, type }: ZoneQuestion): Promise<ZoneAnswer> => {
    if (!isAskable(name) || !isWithin(name, zone)) return refusedAnswer
    if (name === zone) return found(apex.filter((record) => record.type === type))
    if (name === nameserver) return found(addresses.filter((record) => record.type === type))
    const label = name.slice(0, -zone.length - 1)
    if (!isChallengeLabel(label)) return { ...found([]), rcode: 'NXDOMAIN' }
    if (type !== 'TXT') return found([])
    const values = await findValues(label)
    return found(values.map((value) => ({ name, type, ttl: challengeTtl, value })))
  }
}

function isChallengeLabel(label: string): boolean {
  return labelPattern.test(label)
}

const labelPattern = /^[a-z0-9]{8,20}$/
