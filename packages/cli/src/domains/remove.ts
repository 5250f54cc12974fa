import { isServed } from '@masthead/contract/domain-states.ts'
import type { Domain } from '@masthead/contract/schemas/domain.ts'
import type { DomainConfig } from '@masthead/contract/schemas/domain-config.ts'
import { confirmed } from '../ask.ts'
import { CommandError } from '../command-error.ts'
import { type DomainVerb, onDomain } from './verb.ts'

export const remove: DomainVerb = {
  takes: ['NAME'],
  async run(context, words, values) {
    const { out, signal } = context
    const { client, params } = await onDomain(context, words, values)
    if (!context.yes) {
      const domain = await client.getDomain({ params, signal })
      const { domains } = await client.getDomainConfig({ params, signal })
      const warning = whatEnds(domain, domains).join('\n')
      if (!(await confirmed(`${warning}\nRemove ${domain.hostname}?`, context))) {
        throw new CommandError('kept', `${domain.hostname} was left as it is.`, '')
      }
    }
    const removed = await client.removeDomain({ params, signal })
    out.note(`${out.noteStyle('green', `Removed ${removed.hostname}`)}.`)
    for (const { message } of removed.warnings) out.note(out.noteStyle('yellow', message))
    return { document: removed, text: '' }
  },
}

/** What a person should know before a name goes. */
export function whatEnds({ hostname, state }: Domain, config: DomainConfig['domains']): string[] {
  const away = config.redirects.find(({ from }) => from === hostname)
  const here = config.redirects.filter(({ to }) => to === hostname)
  return [
    isServed(state)
      ? `${hostname} stops being served at once.`
      : `${hostname} is not served now, and will no longer be looked for.`,
    ...(config.primary === hostname
      ? ['It is the primary domain; the default subdomain takes its place.']
      : []),
    ...(away === undefined ? [] : [`It no longer redirects to ${away.to}.`]),
    ...here.map(({ from }) => `${from} no longer redirects to it.`),
    ...(isServed(state) ? ['Links to it lead nowhere from then on, unless its DNS leads elsewhere.'] : []),
  ]
}
