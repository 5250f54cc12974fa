import { type DnsAnswer, isDefinite } from './dns-answer.ts'
import { unlessFault } from './dns-fault.ts'
import type { RecordType } from './dns-record.ts'
import { isAskable } from './domain-name.ts'
import { readCutStep, readReferral, type ZoneCut } from './zone-cut.ts'

export interface Zone {
  name: string
  servers: { name: string; addresses: string[] }[]
}

export interface WaysToAsk {
  resolve(name: string, type: RecordType): Promise<DnsAnswer>
  /** Null where the server says nothing, or must not be asked. */
  askDirectly(address: string, name: string, type: RecordType): Promise<DnsAnswer | null>
}

const mostAddressesOfFamily = 2
const mostSteps = 130

/**
 * Null where the resolvers know of no zone. Throws a DnsFault where none of them says anything. The search does not
 * go up past the zone that is known already.
 */
export async function findZone(ways: WaysToAsk, name: string, known: Zone | null): Promise<Zone | null> {
  if (!isAskable(name)) return null
  let passedFailure = false
  let at: string | null = name
  for (let step = 0; at !== null && at !== '' && step < mostSteps; step++) {
    if (at === known?.name) return passedFailure ? descend(ways, known, name) : known
    const answer: DnsAnswer = await ways.resolve(at, 'NS')
    const found = readCutStep(at, answer)
    if ('cut' in found) {
      const zone = found.cut.zone === known?.name ? known : await describeZone(ways, found.cut)
      return passedFailure ? descend(ways, zone, name) : zone
    }
    passedFailure ||= !isDefinite(answer)
    at = found.next
  }
  return null
}

/**
 * A resolver cannot tell the nameservers of a zone that are all dead, or whose answers it distrusts. The servers
 * of the zone above still can.
 */
async function descend(ways: WaysToAsk, top: Zone, name: string): Promise<Zone | null> {
  let zone = top
  for (let step = 0; step < mostSteps; step++) {
    let answer: DnsAnswer | null = null
    for (const { addresses } of zone.servers) {
      for (const address of addresses) answer ??= await ways.askDirectly(address, name, 'NS')
    }
    const referral = answer === null ? null : readReferral(zone.name, answer)
    if (referral === null) return answer === null && zone === top ? null : zone
    zone = await describeZone(ways, referral)
  }
  return zone
}

async function describeZone(ways: WaysToAsk, { zone, nameservers, glue }: ZoneCut): Promise<Zone> {
  async function addressesOf(server: string, type: 'A' | 'AAAA'): Promise<string[]> {
    const found = await unlessFault(ways.resolve(server, type))
    const records = found?.answers.filter((record) => record.type === type) ?? []
    const known =
      records.length > 0 ? records : glue.filter((one) => one.name === server && one.type === type)
    return known.map(({ value }) => value).slice(0, mostAddressesOfFamily)
  }
  const servers = await Promise.all(
    nameservers.map(async (name) => ({
      name,
      addresses: (await Promise.all([addressesOf(name, 'A'), addressesOf(name, 'AAAA')])).flat(),
    })),
  )
  return { name: zone, servers }
}
