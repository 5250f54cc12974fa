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
  /** Null where the server says nothing, or must not be asked. */
  askDirectly(address: string, name: string, type: RecordType): Promise<DnsAnswer | null>
}

const maxAddressesOfFamily = 2
const maxSteps = 130
/** Of a zone above, so many of its servers are asked. */
const maxParents = 3
/** So many nameservers count that only the zone above knows of. */
const maxOnlyAbove = 8

/**
 * Null where the resolvers know of no zone. Throws a DnsError where none of them says anything. The search does not
 * go up past the zone that is known already.
 */
export async function findZone(ways: ZoneLookups, name: string, known: Zone | null): Promise<Zone | null> {
  if (!isAskable(name)) return null
  let passedFailure = false
  let passedAlias = false
  let at: string | null = name
  for (let step = 0; at !== null && at !== '' && step < maxSteps; step++) {
    const isKnown: boolean = at === known?.name
    const answer: DnsAnswer | null = isKnown ? null : await ways.resolve(at, 'NS')
    const found: CutStep | null = answer === null ? null : readCutStep(at, answer)
    const zone: Zone | null = found === null ? known : await zoneAtCut(ways, found, known)
    if (zone !== null) {
      const below = passedFailure || passedAlias ? await descend(ways, zone, name) : zone
      // Where nothing failed but nobody can be asked, what the resolver said still holds.
      return below ?? (passedFailure ? null : zone)
    }
    if (found === null || answer === null || 'cut' in found) return null
    passedFailure ||= !isDefinite(answer)
    passedAlias ||= found.isAlias === true
    at = found.next
  }
  return null
}

async function zoneAtCut(ways: ZoneLookups, found: CutStep, known: Zone | null): Promise<Zone | null> {
  if (!('cut' in found)) return null
  const { cut } = found
  return cut.zone === known?.name ? known : describeZone(ways, await withParentNameservers(ways, cut))
}

/** The registry may send people to servers that the zone itself no longer names: they are asked as well. */
async function withParentNameservers(ways: ZoneLookups, cut: ZoneCut): Promise<ZoneCut> {
  const parent = await nullOnDnsError(findParentZone(ways, cut.zone))
  const answer = parent === null ? null : await askAny(ways, parent, cut.zone)
  const told = answer === null ? null : readCutStep(cut.zone, answer)
  if (told === null || !('cut' in told) || told.cut.zone !== cut.zone) return cut
  const others = told.cut.nameservers.filter((name) => !cut.nameservers.includes(name))
  const nameservers = [...cut.nameservers, ...others.slice(0, maxOnlyAbove)]
  return { ...cut, nameservers, glue: [...cut.glue, ...told.cut.glue] }
}

/** A few of the servers of the zone above: any of them knows what it delegates. */
async function findParentZone(ways: ZoneLookups, zone: string): Promise<Zone | null> {
  let at = parentName(zone)
  for (let step = 0; at !== null && at !== '' && step < maxSteps; step++) {
    const found = readCutStep(at, await ways.resolve(at, 'NS'))
    if ('cut' in found) {
      const nameservers = found.cut.nameservers.slice(0, maxParents)
      return describeZone(ways, { ...found.cut, nameservers })
    }
    at = found.next
  }
  return null
}

/**
 * A resolver cannot tell the nameservers of a zone that are all dead, or whose answers it distrusts, or that has a
 * CNAME at its top. The servers of the zone above still can.
 */
async function descend(ways: ZoneLookups, top: Zone, name: string): Promise<Zone | null> {
  let zone = top
  for (let step = 0; step < maxSteps; step++) {
    const answer = await askAny(ways, zone, name)
    const referral = answer === null ? null : readReferral(zone.name, answer)
    if (referral === null) return answer === null && zone === top ? null : zone
    zone = await describeZone(ways, referral)
  }
  return zone
}

/** Whichever of a zone's servers answers first; null where none of the first few does. */
async function askAny(ways: ZoneLookups, { servers }: Zone, name: string): Promise<DnsAnswer | null> {
  const addresses = servers.flatMap((server) => server.addresses.slice(0, 1)).slice(0, maxParents)
  const answers = addresses.map(async (address) => {
    const answer = await ways.askDirectly(address, name, 'NS')
    return answer ?? Promise.reject(new Error('It said nothing'))
  })
  return Promise.any(answers).catch(() => null)
}

async function describeZone(ways: ZoneLookups, { zone, nameservers, glue }: ZoneCut): Promise<Zone> {
  async function addressesOf(server: string, type: 'A' | 'AAAA'): Promise<string[]> {
    const found = await nullOnDnsError(ways.resolve(server, type))
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
