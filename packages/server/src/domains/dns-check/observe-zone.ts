import { randomBytes } from 'node:crypto'
import type { Dns, Zone } from '../../dns/dns.ts'
import { isWithin, parentName } from '../../dns/domain-name.ts'
import type { Wanted } from '../records.ts'
import type { SeenRecord } from './observation.ts'

/** Where a name is a zone of its own, the CNAME can stand in the zone above only. */
export async function zoneAbove(
  dns: Dns,
  { hostname, kind }: Wanted,
  zone: Zone | null,
  signal: AbortSignal,
): Promise<string | null> {
  const parent = parentName(hostname)
  if (kind === 'apex' || zone?.name !== hostname || parent === null) return null
  return (await dns.findZone(parent, { signal }))?.name ?? null
}

/** False only where that is sure: the zone above is the one that answers, and knows no such name. */
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

/** More labels than a name has that anybody uses; each one costs a question. */
const maxLevels = 4

/**
 * Asks for names beside this one and beside those above it that nobody can have set: as far up as they have the same
 * record, a wildcard answers for them all. It never reaches over the top of its zone, and above an apex there is only
 * a registry.
 */
export async function findWildcard(
  dns: Pick<Dns, 'resolve'>,
  { hostname, kind, registrable }: Pick<Wanted, 'hostname' | 'kind' | 'registrable'>,
  { zone, seen, signal }: { zone: string | null; seen: SeenRecord[][]; signal: AbortSignal },
): Promise<string | null> {
  const [record] = seen.flat()
  if (kind === 'apex' || record === undefined) return null
  const top = zone !== null && isWithin(zone, registrable) ? zone : registrable
  const parents: string[] = []
  for (let at = parentName(hostname); at !== null && isWithin(at, top); at = parentName(at)) parents.push(at)
  const levels = parents.slice(0, maxLevels)
  const isSame = await Promise.all(levels.map((parent) => hasIt(parent, record)))
  const served = isSame.includes(false) ? levels.slice(0, isSame.indexOf(false)) : levels
  const highest = served.at(-1)
  return highest === undefined ? null : `*.${highest}`

  async function hasIt(parent: string, { type, value }: SeenRecord): Promise<boolean> {
    const sibling = `${randomBytes(8).toString('hex')}.${parent}`
    const { answers } = await dns.resolve(sibling, type, { signal })
    return answers.some((answer) => answer.name === sibling && answer.type === type && answer.value === value)
  }
}
