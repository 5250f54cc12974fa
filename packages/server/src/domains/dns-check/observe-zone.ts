import type { Dns, Zone } from '../../dns/dns.ts'
import { isWithin, parentName } from '../../dns/domain-name.ts'
import type { Wanted } from '../records.ts'

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
