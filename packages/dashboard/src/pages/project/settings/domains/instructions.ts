import { guidesFor } from '@masthead/contract/dns-providers.ts'
import type { Domain, RecordChange } from '@masthead/contract/schemas/domain.ts'
import { addressesInstead, changesToShow } from './changes.ts'

const verbs = { add: 'Add', change: 'Change', remove: 'Remove' } as const

export interface Instructions {
  subject: string
  body: string
}

/** What whoever runs the DNS has to do, as a plain text that stands on its own in an email or a ticket. */
export function instructionsText({ unicode, hostname, lastCheck, records }: Domain): Instructions {
  const changes = changesToShow(lastCheck, records)
  const addresses = addressesInstead(changes, records)
  const guides = guidesFor(lastCheck?.provider ?? null)
  const name = unicode === hostname ? unicode : `${unicode} (${hostname})`
  const zone = lastCheck?.zone ?? null
  const lines = [
    `To make ${name} lead to our site, please change these records${zone === null ? '' : ` in the zone ${zone}`}:`,
    '',
    ...changes.flatMap((change, index) => [...changeLines(change, index + 1), '']),
    ...(addresses.length === 0
      ? []
      : [
          'If ALIAS and ANAME are not available, set these at @ instead, and no other address:',
          ...addresses.map(({ type, value }) => `   ${type}  ${value}`),
          '',
        ]),
    ...guides.map(({ name, guide }) => `In ${name}: ${guide}`),
    ...(guides.length === 0 ? [] : ['']),
    'The certificate follows by itself once the records are there. Please leave everything else as it is.',
  ]
  return { subject: `DNS records for ${unicode}`, body: lines.join('\n') }
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
