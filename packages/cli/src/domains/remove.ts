import { isServed } from '@masthead/contract/domains/states.ts'
import type { Domain } from '@masthead/contract/schemas/domain.ts'
import type { DomainConfig } from '@masthead/contract/schemas/domain-config.ts'
import { CommandError } from '../errors/command-error.ts'
import { projectFlag } from '../project/choose-project.ts'
import { confirm } from '../terminal/ask.ts'
import { type DomainVerb, onDomain } from './verb.ts'

export const remove: DomainVerb = {
  takes: ['NAME'],
  async run(context, words, values) {
    const { out, signal } = context
    const { client, params } = await onDomain(context, words, values)
    if (!context.yes) {
      const domain = await client.getDomain({ params, signal })
      const { domains } = await client.getDomainConfig({ params, signal })
      const warning = removalWarnings(domain, domains, projectFlag(values.project)).join('\n')
      if (!(await confirm(`${warning}\nRemove ${domain.hostname}?`, context))) {
        throw new CommandError('kept', `${domain.hostname} was left as it is.`, '')
      }
    }
    const removed = await client.removeDomain({ params, signal })
    out.note(`${out.noteStyle('green', `Removed ${removed.hostname}`)}.`)
    for (const { message } of removed.warnings) out.note(out.noteStyle('yellow', message))
    return { document: removed, text: '' }
  },
}

/** What a person should know before a name goes; first how to keep the links to it, which is too late afterwards. */
export function removalWarnings(
  { hostname, state }: Domain,
  config: DomainConfig['domains'],
  also: string,
): string[] {
  const here = config.redirects.filter(({ to }) => to === hostname)
  return [
    ...(isServed(state)
      ? [howToKeepLinks(hostname, config, also), `${hostname} stops being served at once.`]
      : [`${hostname} is not served now, and will no longer be looked for.`]),
    ...(config.primary === hostname
      ? ['It is the primary domain; the default subdomain takes its place.']
      : []),
    ...here.map(({ from }) => `${from} no longer redirects to it.`),
  ]
}

function howToKeepLinks(
  hostname: string,
  { primary, redirects }: DomainConfig['domains'],
  also: string,
): string {
  const away = redirects.find(({ from }) => from === hostname)
  if (away !== undefined) {
    return `Links to ${hostname} no longer lead to ${away.to}, nor anywhere else, once it is removed. To keep them working, leave it as it is.`
  }
  const instead =
    primary === hostname
      ? 'make another domain the primary one and redirect it there.'
      : `redirect it instead: masthead domains redirect ${hostname} ${primary}${also}`
  return `Links to ${hostname} lead nowhere once it is removed. To keep them working, ${instead}`
}
