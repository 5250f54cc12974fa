import { LostAnswerError } from '@masthead/client/errors.ts'
import { shellName } from '@masthead/contract/domains/shell-name.ts'
import { isReached } from '@masthead/contract/domains/states.ts'
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
        throw new CommandError('kept', `${domain.hostname} was not removed.`, '')
      }
    }
    const removed = await client.removeDomain({ params, signal }).catch((error: unknown) => {
      if (!(error instanceof LostAnswerError)) throw error
      return { hostname: params.hostname, warnings: [] }
    })
    out.note(`${out.noteStyle('green', `Removed ${removed.hostname}`)}.`)
    for (const { message } of removed.warnings) out.note(out.noteStyle('yellow', message))
    return { document: removed, text: '' }
  },
}

/** How to keep links to the domain comes first, because it is too late after the removal. */
export function removalWarnings(
  { hostname, state }: Domain,
  config: DomainConfig['domains'],
  also: string,
): string[] {
  const here = config.redirects.filter(({ to }) => to === hostname)
  return [
    ...(isReached(state)
      ? [howToKeepLinks(hostname, config, also), `${hostname} stops being served immediately.`]
      : [`${hostname} is not being served. We will stop checking its DNS.`]),
    ...(config.primary === hostname
      ? ['It is the primary domain. The default subdomain will replace it.']
      : []),
    ...here.map(({ from }) => `${from} will no longer redirect to it.`),
  ]
}

function howToKeepLinks(
  hostname: string,
  { primary, redirects }: DomainConfig['domains'],
  also: string,
): string {
  const away = redirects.find(({ from }) => from === hostname)
  if (away !== undefined) {
    return `Links to ${hostname} will no longer lead to ${away.to}. To keep them working, do not remove it.`
  }
  const instead =
    primary === hostname
      ? 'make another domain the primary one and redirect this one to it.'
      : `redirect it instead: masthead domains redirect ${shellName(hostname)} ${primary}${also}`
  return `Links to ${hostname} will stop working. To keep them, ${instead}`
}
