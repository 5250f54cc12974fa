import { type RedirectStatus, redirectStatuses } from '@masthead/contract/project-settings.ts'
import { CommandError, usageError } from '../errors/command-error.ts'
import { projectFlag } from '../project/choose-project.ts'
import { alignColumns } from '../terminal/layout.ts'
import { applyConfig, type Domains } from './apply-config.ts'
import { canonicalHostname, parseHostname } from './hostname.ts'
import { type DomainVerb, inProject } from './verb.ts'

export const config: DomainVerb = {
  takes: [],
  async run(context, _words, values) {
    const { out, signal } = context
    const { client, params } = await inProject(context, values)
    const found = await client.getDomainConfig({ params, signal })
    const { primary, redirects } = found.domains
    const rows = [
      [out.style('dim', 'primary'), out.style('bold', primary), ''],
      ...redirects.map(({ from, to, status }) => [
        out.style('dim', 'redirect'),
        `${from} → ${to}`,
        String(status),
      ]),
    ]
    if (redirects.length === 0) {
      out.note(`No redirects. Add one: masthead domains redirect FROM TO${projectFlag(values.project)}`)
    }
    return { document: { domains: found.domains }, text: alignColumns(rows).join('\n') }
  },
}

export const primary: DomainVerb = {
  takes: ['NAME'],
  async run(context, [word = ''], values) {
    const { out, signal } = context
    const name = parseHostname(word)
    const { client, params } = await inProject(context, values)
    const { changed, domains } = await applyConfig(
      ({ redirects }) => ({
        primary: name,
        // The primary domain cannot redirect.
        redirects: redirects.filter(({ from }) => canonicalHostname(from) !== canonicalHostname(name)),
      }),
      { client, params, out, signal },
    )
    if (!changed) out.note(`${domains.primary} is already the primary domain.`)
    return { document: { domains }, text: '' }
  },
}

export const redirect: DomainVerb = {
  takes: ['FROM', '[TO]'],
  options: ['status', 'remove'],
  async run(context, words, values) {
    const { out, signal } = context
    const change = values.remove
      ? withoutRedirect(words, projectFlag(values.project))
      : withRedirect(words, statusOf(values.status))
    const { client, params } = await inProject(context, values)
    const { changed, domains } = await applyConfig(change, { client, params, out, signal })
    if (!changed) out.note('Nothing to change.')
    return { document: { domains }, text: '' }
  },
}

type Change = (current: Domains) => Domains

function withRedirect([from, to]: readonly string[], status: RedirectStatus | undefined): Change {
  if (from === undefined || to === undefined) {
    throw usageError(
      'The target of the redirect is missing.',
      'Use `masthead domains redirect FROM TO`, or add --remove to remove the redirect from FROM.',
    )
  }
  const names = { from: parseHostname(from), to: parseHostname(to) }
  return ({ primary, redirects }) => {
    const earlier = redirects.find((entry) => canonicalHostname(entry.from) === canonicalHostname(from))
    const next = { ...names, status: status ?? earlier?.status ?? 301 }
    if (earlier === undefined) return { primary, redirects: [...redirects, next] }
    return { primary, redirects: redirects.map((entry) => (entry === earlier ? next : entry)) }
  }
}

function withoutRedirect([from = '', to]: readonly string[], also: string): Change {
  if (to !== undefined)
    throw usageError('--remove takes only the domain that redirects.', `Leave out "${to}".`)
  const name = canonicalHostname(parseHostname(from))
  return ({ primary, redirects }) => {
    const rest = redirects.filter((entry) => canonicalHostname(entry.from) !== name)
    if (rest.length < redirects.length) return { primary, redirects: rest }
    throw new CommandError(
      'no_redirect',
      `${from} does not redirect.`,
      `See \`masthead domains config${also}\`.`,
    )
  }
}

function statusOf(text: string | undefined): RedirectStatus | undefined {
  if (text === undefined) return undefined
  const status = redirectStatuses.find((allowed) => String(allowed) === text)
  if (status !== undefined) return status
  throw usageError(`"${text}" is not a redirect status.`, `Use one of ${redirectStatuses.join(', ')}.`)
}
