import { type RedirectStatus, redirectStatuses } from '@masthead/contract/redirect-statuses.ts'
import { CommandError, usageError } from '../command-error.ts'
import { sameProject } from '../same-project.ts'
import { applyConfig } from './apply-config.ts'
import type { Domains } from './config-difference.ts'
import { storedName, typedName } from './typed-name.ts'
import { type DomainVerb, inProject } from './verb.ts'

export const redirect: DomainVerb = {
  takes: ['FROM', '[TO]'],
  options: ['status', 'remove'],
  async run(context, words, values) {
    const { out, signal } = context
    const change = values.remove
      ? withoutRedirect(words, sameProject(values.project))
      : withRedirect(words, statusOf(values.status))
    const { client, params } = await inProject(context, values)
    const { changed, domains } = await applyConfig(change, { client, params, out, signal })
    if (!changed) out.note('It is so already.')
    return { document: { domains }, text: '' }
  },
}

type Change = (current: Domains) => Domains

function withRedirect([from, to]: readonly string[], status: RedirectStatus | undefined): Change {
  if (from === undefined || to === undefined) {
    throw usageError(
      'Where to?',
      'Write `masthead domains redirect FROM TO`, or add --remove to end the redirect of FROM.',
    )
  }
  const names = { from: typedName(from), to: typedName(to) }
  return ({ primary, redirects }) => {
    const earlier = redirects.find((entry) => storedName(entry.from) === storedName(from))
    const next = { ...names, status: status ?? earlier?.status ?? 301 }
    if (earlier === undefined) return { primary, redirects: [...redirects, next] }
    return { primary, redirects: redirects.map((entry) => (entry === earlier ? next : entry)) }
  }
}

function withoutRedirect([from = '', to]: readonly string[], also: string): Change {
  if (to !== undefined) throw usageError('--remove takes the name that redirects only.', `Leave out "${to}".`)
  const name = storedName(typedName(from))
  return ({ primary, redirects }) => {
    const rest = redirects.filter((entry) => storedName(entry.from) !== name)
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
  throw usageError(`"${text}" is not a status of a redirect.`, `Give one of ${redirectStatuses.join(', ')}.`)
}
