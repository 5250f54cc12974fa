import type { DnsCheck, RecordChange, RequiredDnsRecord } from '../../schemas/domains/dns-check.ts'
import type { Domain } from '../../schemas/domains/domain.ts'
import { providerGuides } from '../dns-providers.ts'
import { commentText } from './zone-records.ts'

/** Removals first: many providers reject the new record while a conflicting one exists. */
const order: readonly RecordChange['action'][] = ['remove', 'change', 'add', 'keep']

/** The changes in the order to make them. Before the first check, assumes there are no records. */
export function changesToShow(check: DnsCheck | null, records: readonly RequiredDnsRecord[]): RecordChange[] {
  const changes = check === null || check.changes.length === 0 ? records.map(wanted) : check.changes
  return changes.toSorted(byAction)
}

function byAction(one: RecordChange, other: RecordChange): number {
  return order.indexOf(one.action) - order.indexOf(other.action)
}

export function pendingChanges(
  check: DnsCheck | null,
  records: readonly RequiredDnsRecord[],
): RecordChange[] {
  return changesToShow(check, records).filter(({ action }) => action !== 'keep')
}

function wanted({ type, name, fqdn, value, ttl, status }: RequiredDnsRecord): RecordChange {
  const kept = status === 'ok'
  return { action: kept ? 'keep' : 'add', type, name, fqdn, from: kept ? value : null, to: value, ttl }
}

/** The addresses to use if the provider supports neither ALIAS nor ANAME; empty unless such a record is required. */
export function addressesInstead(
  changes: readonly RecordChange[],
  records: readonly RequiredDnsRecord[],
): RequiredDnsRecord['alternatives'] {
  const needsAlias = changes.some(
    ({ action, type }) => action !== 'keep' && (type === 'ALIAS' || type === 'ANAME'),
  )
  return needsAlias ? records.flatMap(({ alternatives }) => alternatives) : []
}

const usualTtl = 3600

const verbs = { add: 'Add', change: 'Change', remove: 'Remove' } as const

export interface Instructions {
  subject: string
  body: string
}

export type ShownDomain = Pick<Domain, 'hostname' | 'unicode' | 'records' | 'lastCheck' | 'certificate'>

/** Plain text for an email or a ticket to the person who manages DNS. */
export function instructionsText(domain: ShownDomain): Instructions {
  const { unicode, hostname, lastCheck, records } = domain
  const changes = changesToSend(domain)
  const addresses = addressesInstead(changes, records)
  const guides = providerGuides(lastCheck?.provider ?? null)
  const name = unicode === hostname ? unicode : `${unicode} (${hostname})`
  const zone = lastCheck?.zone ?? null
  const lines = [
    `To point ${name} to our site, please make these changes${zone === null ? '' : ` in the zone ${zone}`}:`,
    '',
    ...changes.flatMap((change, index) => [...changeLines(change, index + 1), '']),
    ...(addresses.length === 0
      ? []
      : [
          'If ALIAS and ANAME are not available, set these at @ instead, and no other addresses:',
          ...addresses.map(({ type, value }) => `   ${type}  ${value}`),
          '',
        ]),
    ...guides.map(({ name, guide }) => `In ${name}: ${guide}`),
    ...(guides.length === 0 ? [] : ['']),
    'The certificate is issued automatically once the records are in place. Please leave all other records as they are.',
  ]
  return { subject: `DNS records for ${unicode}`, body: lines.map(commentText).join('\n') }
}

/** The changes, with the record that the last certificate attempt missed if the check did not. */
export function changesToSend({
  lastCheck,
  records,
  certificate: { lastError },
}: ShownDomain): RecordChange[] {
  const changes = changesToShow(lastCheck, records)
  const add = lastError?.add ?? null
  if (add === null || changes.some(({ type, fqdn }) => type === add.type && fqdn === add.fqdn)) return changes
  const { type, fqdn, value: to } = add
  const zone = lastCheck?.zone ?? ''
  const name = fqdn === zone ? '@' : fqdn.endsWith(`.${zone}`) ? fqdn.slice(0, -zone.length - 1) : fqdn
  const missed: RecordChange = { action: 'add', type, name, fqdn, from: null, to, ttl: usualTtl }
  return [...changes, missed].toSorted(byAction)
}

function changeLines({ action, type, name, fqdn, from, to, ttl }: RecordChange, number: number): string[] {
  if (action === 'keep')
    return [`${number}. Keep the ${type} record ${fqdn} as it is`, `   Value:  ${to ?? from}`]
  return [
    `${number}. ${verbs[action]} ${action === 'add' ? 'a record' : 'the record'}`,
    `   Type:   ${type}`,
    `   Name:   ${name}   (in full: ${fqdn})`,
    ...(from === null ? [] : [`   ${action === 'remove' ? 'Value: ' : 'Is now:'} ${from}`]),
    ...(to === null ? [] : [`   Value:  ${to}`, `   TTL:    ${ttl}`]),
  ]
}

export function mailto({ subject, body }: Instructions): string {
  const crlf = body.replaceAll('\n', '\r\n')
  return `mailto:?subject=${encodeURIComponent(subject)}&body=${encodeURIComponent(crlf)}`
}
