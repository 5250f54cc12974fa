import type { Domain } from '../../schemas/domains/domain.ts'

type DnsRecordType = 'CNAME' | 'ALIAS' | 'A' | 'AAAA' | 'TXT'

/** A record to set, as files for DNS have it. */
export interface ExportedRecord {
  /** Relative to the zone, `@` for the zone itself. */
  name: string
  fqdn: string
  type: DnsRecordType
  value: string
  ttl: number
}

/** The records of one zone. */
export interface ExportedZone {
  zone: string
  records: ExportedRecord[]
}

export type DomainRecords = Pick<Domain, 'hostname' | 'records'>

/**
 * The records of domains by zone. Many formats have no ALIAS: `addresses` replaces it by what it resolves to. Where no
 * address is known the ALIAS stays, for the format to explain.
 */
export function zonesOf(
  domains: readonly DomainRecords[],
  { addresses = false }: { addresses?: boolean } = {},
): ExportedZone[] {
  const zones = new Map<string, Map<string, ExportedRecord>>()
  for (const { name, fqdn, type, value, ttl, alternatives } of domains.flatMap(({ records }) => records)) {
    const zone = name === '@' ? fqdn : fqdn.slice(name.length + 1)
    const replaces = addresses && type === 'ALIAS' && alternatives.length > 0
    const wanted = replaces ? alternatives : [{ type, value }]
    const records = zones.get(zone) ?? new Map<string, ExportedRecord>()
    // Two domains may ask for the same record.
    for (const one of wanted) records.set(`${name} ${one.type} ${one.value}`, { name, fqdn, ttl, ...one })
    zones.set(zone, records)
  }
  return [...zones].map(([zone, records]) => ({ zone, records: [...records.values()] })).toSorted(byZone)
}

function byZone(one: ExportedZone, other: ExportedZone): number {
  return one.zone < other.zone ? -1 : one.zone > other.zone ? 1 : 0
}

const pointing: ReadonlySet<DnsRecordType> = new Set(['CNAME', 'ALIAS'])

/** The value of a record that names another host ends with a dot, or providers append the zone. */
export function absoluteValue({ type, value }: ExportedRecord): string {
  return pointing.has(type) && !value.endsWith('.') ? `${value}.` : value
}

/** Safe in a comment: one line. */
export function commentText(text: string): string {
  return text.replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, ' ')
}
