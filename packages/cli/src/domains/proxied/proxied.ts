import {
  type ProxyProvider,
  proxyProviderNames,
  proxyProviders,
} from '@masthead/contract/domains/proxy-providers.ts'
import { usageError } from '../../errors/command-error.ts'
import { projectFlag } from '../../project/choose-project.ts'
import { recordTable } from '../check-lines.ts'
import { paragraphs } from '../domain-lines.ts'
import { displayHostname } from '../hostname.ts'
import { type DomainVerb, onDomain } from '../verb.ts'
import { proxiedLines, proxyCheckLines } from './proxied-lines.ts'

const usage =
  'Use `masthead domains proxied NAME --provider cloudflare`, fastly or other, or `masthead domains proxied NAME --off`.'

export const proxied: DomainVerb = {
  takes: ['NAME'],
  options: ['provider', 'off'],
  async run(context, words, values) {
    const { out, signal } = context
    const { provider, off = false } = values
    if ((provider === undefined) !== off) {
      throw usageError(
        off ? '--off and --provider exclude each other.' : 'The proxy or CDN is missing.',
        usage,
      )
    }
    if (provider !== undefined && !isProvider(provider)) {
      throw usageError(`There is no provider ${provider}.`, usage)
    }
    const { client, params } = await onDomain(context, words, values)
    const body = { proxied: provider ?? null }
    const domain = await client.changeDomain({ params, body, signal })
    const name = displayHostname(domain)
    const also = projectFlag(values.project)
    if (domain.proxied === null) {
      out.note(`${name} is not behind a proxy. Its own record has to be in DNS again.`)
      return { document: domain, text: '' }
    }
    out.note(`${name} is marked as behind ${proxyProviders[domain.proxied.provider].title}.`)
    const paint = (style: Parameters<typeof out.style>[0], part: string) => out.style(style, part)
    const unset = domain.records.filter(({ status }) => status !== 'ok')
    const text = paragraphs([
      proxiedLines(domain, out.width, paint),
      unset.length === 0 ? [] : ['These records have to be in DNS:', ...recordTable(unset, paint)],
      proxyCheckLines(out.width),
      [`Check it now: masthead domains verify ${domain.hostname}${also}`],
    ])
    return { document: domain, text: text.join('\n') }
  },
}

function isProvider(text: string): text is ProxyProvider {
  return proxyProviderNames.some((name) => name === text)
}
