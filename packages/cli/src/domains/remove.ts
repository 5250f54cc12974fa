import type { Client } from '@masthead/client/client.ts'
import { LostAnswerError, ProblemError } from '@masthead/client/errors.ts'
import { shellName } from '@masthead/contract/domains/shell-name.ts'
import { isReached } from '@masthead/contract/domains/states.ts'
import { coveringWildcard, wildcardOver } from '@masthead/contract/domains/wildcards.ts'
import type { Domain } from '@masthead/contract/schemas/domains/domain.ts'
import type { DomainConfig } from '@masthead/contract/schemas/domains/domain-config.ts'
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
      const covering = coveringWildcard(domain.hostname, await wildcardsOver(client, params, signal))
      const also = projectFlag(values.project)
      const warning = removalWarnings(domain, { ...domains, covering }, also).join('\n')
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

interface NamedDomain {
  project: string
  hostname: string
}

/** The wildcard of the project over a domain, if there is one. */
async function wildcardsOver(
  client: Client,
  { project, hostname }: NamedDomain,
  signal: AbortSignal,
): Promise<Domain[]> {
  const wildcard = wildcardOver(hostname)
  if (wildcard === null) return []
  try {
    return [await client.getDomain({ params: { project, hostname: wildcard }, signal })]
  } catch (error) {
    if (error instanceof ProblemError && error.code === 'not_found') return []
    throw error
  }
}

type Surroundings = DomainConfig['domains'] & {
  /** The wildcard that answers for the domain once it is removed. */
  covering: string | null
}

/** What happens to links to the domain comes first, because it is too late after the removal. */
export function removalWarnings(
  { hostname, state }: Domain,
  { covering, ...config }: Surroundings,
  also: string,
): string[] {
  const here = config.redirects.filter(({ to }) => to === hostname)
  return [
    ...(covering !== null
      ? coveredLinks(hostname, covering, config)
      : isReached(state)
        ? [howToKeepLinks(hostname, config, also), `${hostname} stops being served immediately.`]
        : [`${hostname} is not being served. We will stop checking its DNS.`]),
    ...(config.primary === hostname
      ? ['It is the primary domain. The default subdomain will replace it.']
      : []),
    ...here.map(({ from }) => `${from} will no longer redirect to it.`),
  ]
}

function coveredLinks(hostname: string, covering: string, config: DomainConfig['domains']): string[] {
  const away = redirectFrom(hostname, config)
  return [
    ...(away === undefined ? [] : [`Links to ${hostname} will no longer lead to ${away.to}.`]),
    `${covering} covers ${hostname}: links to it will show what ${covering} shows.`,
  ]
}

function howToKeepLinks(hostname: string, config: DomainConfig['domains'], also: string): string {
  const { primary } = config
  const away = redirectFrom(hostname, config)
  if (away !== undefined) {
    return `Links to ${hostname} will no longer lead to ${away.to}. To keep them working, do not remove it.`
  }
  const instead =
    primary === hostname
      ? 'make another domain the primary one and redirect this one to it.'
      : `redirect it instead: masthead domains redirect ${shellName(hostname)} ${primary}${also}`
  return `Links to ${hostname} will stop working. To keep them, ${instead}`
}

function redirectFrom(hostname: string, { redirects }: DomainConfig['domains']) {
  return redirects.find(({ from }) => from === hostname)
}
