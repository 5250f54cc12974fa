import { type DnsAnswer, isDefinite } from './dns-answer.ts'
import { nullOnDnsError } from './dns-error.ts'
import type { RecordType } from './dns-record.ts'
import { isAskable, parentName } from './domain-name.ts'
import { type CutStep, readCutStep, readReferral, type ZoneCut } from './zone-cut.ts'

export interface Zone {
  name: string
  servers: { name: string; addresses: string[] }[]
}

export interface ZoneLookups {
  resolve(name: string, type: RecordType): Promise<DnsAnswer>
  /** Null if the server does not reply, or must not be asked. */
  askDirectly(address: string, name: string, type: RecordType): Promise<DnsAnswer | null>
}

const maxAddressesOfFamily = 2
const maxSteps = 130
/** How many servers of the zone above are asked. */
const maxParents = 3
/** How many nameservers that only the zone above names are used. */
const maxOnlyAbove = 8

/**
 * Finds the zone of a name by walking up from it, at most to the known zone. Null if the resolvers know of none. Throws
 * a DnsError if none of them replies.
 */
export async function findZone(lookups: ZoneLookups, name: string, known: Zone | null): Promise<Zone | null> {
  if (!isAskable(name)) return null
  let passedFailure = false
  let passedAlias = false
  let at: string | null = name
  for (let step = 0; at !== null && at !== '' && step < maxSteps; step++) {
    const isKnown: boolean = at === known?.name
    const answer: DnsAnswer | null = isKnown ? null : await lookups.resolve(at, 'NS')
    const found: CutStep | null = answer === null ? null : readCutStep(at, answer)
    const zone: Zone | null = found === null ? known : await zoneAtCut(lookups, found, known)
    if (zone !== null) {
      const below = passedFailure || passedAlias ? await descend(lookups, zone, name) : zone
      // If nothing failed but no server can be asked, the resolver's answer still holds.
      return below ?? (passedFailure ? null : zone)
    }
    if (found === null || answer === null || 'cut' in found) return null
    passedFailure ||= !isDefinite(answer)
    passedAlias ||= found.isAlias === true
    at = found.next
  }
  return null
}

async function zoneAtCut(lookups: ZoneLookups, found: CutStep, known: Zone | null): Promise<Zone | null> {
  if (!('cut' in found)) return null
  const { cut } = found
  return cut.zone === known?.name ? known : describeZone(lookups, await withParentNameservers(lookups, cut))
}

/** The registry may still delegate to servers that the zone itself no longer names. They are asked as well. */
async function withParentNameservers(lookups: ZoneLookups, cut: ZoneCut): Promise<ZoneCut> {
  const parent = await nullOnDnsError(findParentZone(lookups, cut.zone))
  const answer = parent === null ? null : await askAny(lookups, parent, cut.zone)
  const delegation = answer === null ? null : readCutStep(cut.zone, answer)
  if (delegation === null || !('cut' in delegation) || delegation.cut.zone !== cut.zone) return cut
  const others = delegation.cut.nameservers.filter((name) => !cut.nameservers.includes(name))
  const nameservers = [...cut.nameservers, ...others.slice(0, maxOnlyAbove)]
  return { ...cut, nameservers, glue: [...cut.glue, ...delegation.cut.glue] }
}

/** The zone above with a few of its servers: any of them knows the delegation. */
async function findParentZone(lookups: ZoneLookups, zone: string): Promise<Zone | null> {
  let at = parentName(zone)
  for (let step = 0; at !== null && at !== '' && step < maxSteps; step++) {
    const found = readCutStep(at, await lookups.resolve(at, 'NS'))
    if ('cut' in found) {
      const nameservers = found.cut.nameservers.slice(0, maxParents)
      return describeZone(lookups, { ...found.cut, nameservers })
    }
    at = found.next
  }
  return null
}

/**
 * A resolver cannot name the nameservers of a zone if all are dead, fail validation, or have a CNAME at the top of the
 * zone. The servers of the zone above still can.
 */
async function descend(lookups: ZoneLookups, top: Zone, name: string): Promise<Zone | null> {
  let zone = top
  for (let step = 0; step < maxSteps; step++) {
    const answer = await askAny(lookups, zone, name)
    const referral = answer === null ? null : readReferral(zone.name, answer)
    if (referral === null) return answer === null && zone === top ? null : zone
    zone = await describeZone(lookups, referral)
  }
  return zone
}

/** The first answer from a few of the zone's servers; null if none of them replies. */
async function askAny(lookups: ZoneLookups, { servers }: Zone, name: string): Promise<DnsAnswer | null> {
  const addresses = servers.flatMap((server) => server.addresses.slice(0, 1)).slice(0, maxParents)
  const answers = addresses.map(async (address) => {
    const answer = await lookups.askDirectly(address, name, 'NS')
    return answer ?? Promise.reject(new Error('No reply'))
  })
  return Promise.any(answers).catch(() => null)
}

async function describeZone(lookups: ZoneLookups, { zone, nameservers, glue }: ZoneCut): Promise<Zone> {
  async function addressesOf(server: string, type: 'A' | 'AAAA'): Promise<string[]> {
    const found = await nullOnDnsError(lookups.resolve(server, type))
    const records = found?.answers.filter((record) => record.type === type) ?? []
    const known =
      records.length > 0 ? records : glue.filter((one) => one.name === server && one.type === type)
    return [...new Set(known.map(({ value }) => value))].slice(0, maxAddressesOfFamily)
  }
  const servers = await Promise.all(
    nameservers.map(async (name) => ({
      name,
      addresses: (await Promise.all([addressesOf(name, 'A'), addressesOf(name, 'AAAA')])).flat(),
    })),
  )
  return { name: zone, servers }
}
