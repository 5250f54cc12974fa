import type { Dns, Zone } from '../../dns/dns.ts'
import { nullOnDnsError } from '../../dns/dns-error.ts'
import { isWithin, normalizeName } from '../../dns/domain-name.ts'
import { challengeName, type Sibling, type Wanted } from '../records.ts'
import { ownRecords, type SiblingObservation } from './observation.ts'

/** Whether other names of the account prove that it controls the zone of an apex. */
export async function observeSiblings(
  dns: Dns,
  { proof }: Wanted,
  zoneFound: Promise<Zone | null>,
  signal: AbortSignal,
): Promise<SiblingObservation[]> {
  const zone = await zoneFound
  return Promise.all(
    (proof?.siblings ?? []).map(async (sibling) => {
      const seen = await nullOnDnsError(observeSibling(dns, sibling, zone, signal))
      return seen ?? { hostname: sibling.hostname, outcome: 'unclear' }
    }),
  )
}

/** A delegated name may belong to someone else, so both names must definitely be in the same zone. */
async function observeSibling(
  dns: Dns,
  { hostname, target }: Sibling,
  zone: Zone | null,
  signal: AbortSignal,
): Promise<SiblingObservation> {
  if (zone === null) return { hostname, outcome: 'unclear' }
  const own = await dns.findZone(hostname, { known: zone, signal })
  if (own === null) return { hostname, outcome: 'unclear' }
  if (own.name !== zone.name) return { hostname, outcome: 'delegated' }
  const { servers } = await dns.askNameservers(hostname, ['CNAME'], { zone, signal })
  const answered = servers.filter(({ outcome }) => outcome === 'answered')
  if (answered.length === 0) return { hostname, outcome: 'unclear' }
  const leadsHere = answered.every(({ answers }) => {
    const records = ownRecords(hostname, [answers.CNAME])
    return records.length === 1 && records.every(({ value }) => normalizeName(value) === target)
  })
  return { hostname, outcome: leadsHere ? 'proves' : 'elsewhere' }
}

/**
 * The values that all servers have: a single outdated or foreign server must not prove anything. Values behind a CNAME
 * do not count, because a wildcard may point to a zone of someone else.
 */
export async function findChallenge(
  dns: Dns,
  hostname: string,
  zoneFound: Promise<Zone | null>,
  signal: AbortSignal,
): Promise<string[] | null> {
  const name = challengeName(hostname)
  const found = await zoneFound
  const known = found !== null && isWithin(name, found.name) ? found : null
  const zone = await nullOnDnsError(dns.findZone(name, { known, signal }))
  const { servers } = await dns.askNameservers(name, ['TXT'], { zone, signal })
  const given = servers
    .filter(({ outcome }) => outcome === 'answered')
    .map(({ answers }) =>
      (answers.TXT?.answers ?? []).filter((record) => record.type === 'TXT' && record.name === name),
    )
    .map((records) => new Set(records.map(({ value }) => value)))
  if (given.length === 0) return null
  return [...given.reduce((common, values) => common.intersection(values))]
}
