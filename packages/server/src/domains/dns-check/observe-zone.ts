import { randomBytes } from 'node:crypto'
import type { Dns, Zone } from '../../dns/dns.ts'
import { isWithin, parentName } from '../../dns/domain-name.ts'
import type { Wanted } from '../records.ts'
import type { SeenRecord } from './observation.ts'

/** If a name is its own zone, the CNAME can only be set in the zone above. */
export async function zoneAbove(
  dns: Dns,
  { hostname, kind }: Wanted,
  zone: Zone | null,
  signal: AbortSignal,
): Promise<string | null> {
  const parent = parentName(hostname)
  if (kind !== 'subdomain' || zone?.name !== hostname || parent === null) return null
  return (await dns.findZone(parent, { signal }))?.name ?? null
}

/** False only if that is certain: the zone above answers, and does not know the name. */
export async function isDelegated(
  dns: Dns,
  registrable: string,
  zoneFound: Promise<Zone | null>,
  signal: AbortSignal,
): Promise<boolean> {
  const zone = await zoneFound
  if (zone === null || isWithin(zone.name, registrable)) return true
  const { rcode } = await dns.resolve(registrable, 'SOA', { checkingDisabled: true, signal })
  return rcode !== 'NXDOMAIN'
}

/** Each level costs a query, and real names have fewer. */
const maxLevels = 4

/**
 * Asks for random names next to this one and next to its parents. As far up as they have the same record, a wildcard
 * answers for all of them. A wildcard never reaches beyond its zone, and above an apex there is only the registry.
 */
export async function findWildcard(
  dns: Pick<Dns, 'resolve'>,
  { hostname, kind, registrable }: Pick<Wanted, 'hostname' | 'kind' | 'registrable'>,
  { zone, seen, signal }: { zone: string | null; seen: SeenRecord[][]; signal: AbortSignal },
): Promise<string | null> {
  const [record] = seen.flat()
  // A wildcard is asked for by its own name, which DNS answers like any other (RFC 4592, section 2.3).
  if (kind !== 'subdomain' || record === undefined) return null
  const top = zone !== null && isWithin(zone, registrable) ? zone : registrable
  const parents: string[] = []
  for (let at = parentName(hostname); at !== null && isWithin(at, top); at = parentName(at)) parents.push(at)
  const levels = parents.slice(0, maxLevels)
  const isSame = await Promise.all(levels.map((parent) => randomNameHas(parent, record)))
  const served = isSame.includes(false) ? levels.slice(0, isSame.indexOf(false)) : levels
  const highest = served.at(-1)
  return highest === undefined ? null : `*.${highest}`

  async function randomNameHas(parent: string, { type, value }: SeenRecord): Promise<boolean> {
    const random = `${randomBytes(8).toString('hex')}.${parent}`
    const { answers } = await dns.resolve(random, type, { signal })
    return answers.some((answer) => answer.name === random && answer.type === type && answer.value === value)
  }
}
