import {
  proxyIsChecked,
  proxyIsNotChecked,
  proxyProviders,
  routeOutcomes,
} from '@masthead/contract/domains/proxy-providers.ts'
import { replacedRecords } from '@masthead/contract/domains/replaced-records.ts'
import type { Domain } from '@masthead/contract/schemas/domains/domain.ts'
import { sanitize, wrapText } from '../../terminal/layout.ts'
import type { Paint } from '../../terminal/output.ts'
import { recordTable } from '../check-lines.ts'

type Proxied = NonNullable<Domain['proxied']>

/** The proxy that a domain is behind: where it has to lead, and what our requests through it found. */
export function proxiedLines({ proxied }: Pick<Domain, 'proxied'>, width: number, paint: Paint): string[] {
  if (proxied === null) return []
  const { title, origin, encryption } = proxyProviders[proxied.provider]
  const sentences = [
    `Set ${origin} to ${sanitize(proxied.origin)}, and keep the host name of the visitor.`,
    encryption,
    proxied.certificateBy === 'dns-01'
      ? 'Certificates are obtained by DNS (DNS-01), past the proxy.'
      : 'Certificates are obtained through the proxy (HTTP-01).',
    ...routeSentences(proxied.route),
  ]
  const { delegation } = proxied
  const offer = 'With this record, certificates do not depend on the proxy:'
  return [
    paint('bold', `Behind a proxy: ${title}`),
    ...sentences.flatMap((sentence) => wrapText(sentence, width, '  ')),
    ...(delegation === null || delegation.status === 'ok'
      ? []
      : [
          ...wrapText(offer, width, '  '),
          ...recordTable([delegation], paint),
          ...wrapText(sanitize(replacedRecords(delegation), 1_000), width, '  '),
        ]),
  ]
}

function routeSentences(route: Proxied['route']): string[] {
  if (route === null) return ['We send requests through the proxy once the domain is proved.']
  const { http, https, encrypted, visitors } = route
  return [
    `Our request over HTTP: ${routeOutcomes[http]}. Over HTTPS: ${routeOutcomes[https]}.`,
    encrypted === false ? 'The proxy connects to us without encryption.' : '',
    visitors === 'known' ? "Limits see the addresses of its visitors, not the proxy's own." : '',
  ].filter(Boolean)
}

/** What is checked and what cannot be, for people who have just marked a domain. */
export function proxyCheckLines(width: number): string[] {
  const list = (title: string, facts: readonly string[]) => [
    title,
    ...facts.flatMap((fact) => wrapText(`- ${fact}`, width, '  ')),
  ]
  return [...list('We check:', proxyIsChecked), '', ...list('We cannot see:', proxyIsNotChecked)]
}
