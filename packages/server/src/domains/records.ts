import { isIPv6 } from 'node:net'
import type { DnsRecordWanted } from '@masthead/contract/schemas/domain.ts'
import { isWithin, parentName } from '../dns/domain-name.ts'
import type { Naming } from './context.ts'
import { describeHostname } from './hostname.ts'

/** What should stand in DNS. */
export interface Wanted {
  hostname: string
  kind: 'subdomain' | 'apex'
  registrable: string
  /** Where the name should lead; null before the domain is added, when nothing can be missing yet. */
  target: string | null
  /** The TXT value that proves ownership; null where no proof is asked for. */
  challenge: string | null
  edgeAddresses: readonly string[]
}

export const wantedTtl = 3_600

/** The kind is what it was when the name was added: what counts as an apex changes with the list of public suffixes. */
export function wantedFor(
  domain: {
    hostname: string
    kind: Wanted['kind']
    /** The label of its own under the platform's domain. */
    target: string | null
    challenge: string | null
  },
  naming: Pick<Naming, 'platformDomain' | 'edgeAddresses'>,
): Wanted {
  const { hostname, kind, challenge } = domain
  const target = domain.target === null ? null : `${domain.target}.cname.${naming.platformDomain}`
  const registrable = registrableOf(hostname, kind)
  return { hostname, kind, registrable, target, challenge, edgeAddresses: naming.edgeAddresses }
}

function registrableOf(hostname: string, kind: Wanted['kind']): string {
  if (kind === 'apex') return hostname
  const { registrable } = describeHostname(hostname)
  return registrable === hostname ? (parentName(hostname) ?? hostname) : registrable
}

export function challengeName(hostname: string): string {
  return `_masthead-challenge.${hostname}`
}

/**
 * A name as providers ask for it: relative to the zone, `@` for the zone itself. A subdomain that is delegated has
 * no place for a CNAME in its own zone, so it is named as in the zone above.
 */
export function recordName(
  fqdn: string,
  { hostname, registrable }: Pick<Wanted, 'hostname' | 'registrable'>,
  zone: string | null = null,
): string {
  const isBetween =
    zone !== null && zone !== hostname && isWithin(zone, registrable) && isWithin(hostname, zone)
  const origin = isBetween ? zone : registrable
  return fqdn === origin ? '@' : fqdn.slice(0, -origin.length - 1)
}

/** The records to set, before anybody has looked whether they are there. */
export function uncheckedRecords(wanted: Wanted, zone: string | null = null): DnsRecordWanted[] {
  const { hostname, kind, target, challenge, edgeAddresses } = wanted
  const unchecked = (
    record: Pick<DnsRecordWanted, 'purpose' | 'type' | 'fqdn' | 'value' | 'alternatives'>,
  ): DnsRecordWanted => ({
    ...record,
    name: recordName(record.fqdn, wanted, zone),
    ttl: wantedTtl,
    status: 'unchecked',
    observed: [],
  })
  const records: DnsRecordWanted[] = []
  if (target !== null) {
    const type = kind === 'apex' ? 'ALIAS' : 'CNAME'
    const alternatives = kind === 'apex' ? edgeAddresses.map(asAddressRecord) : []
    records.push(unchecked({ purpose: 'routing', type, fqdn: hostname, value: target, alternatives }))
  }
  if (challenge !== null) {
    const fqdn = challengeName(hostname)
    records.push(unchecked({ purpose: 'ownership', type: 'TXT', fqdn, value: challenge, alternatives: [] }))
  }
  return records
}

export function asAddressRecord(address: string): { type: 'A' | 'AAAA'; value: string } {
  return { type: isIPv6(address) ? 'AAAA' : 'A', value: address }
}
