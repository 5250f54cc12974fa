import { ProblemError } from '@masthead/client/errors.ts'
import type { RedirectStatus } from '@masthead/contract/project-settings.ts'
import type { Domain } from '@masthead/contract/schemas/domains/domain.ts'
import { type DomainsConfig, type Redirect, redirectOf, withoutRedirect, withRedirect } from './config.ts'

/** The live domain to suggest as primary while the default subdomain still is. It has to show what is live. */
export function suggestedPrimary(
  config: DomainsConfig,
  own: string,
  domains: readonly Pick<Domain, 'hostname' | 'state' | 'branch'>[],
): string | null {
  if (config.primary !== own) return null
  const fit = domains.find(
    ({ hostname, state, branch }) =>
      state === 'live' &&
      branch === null &&
      !isWildcard(hostname) &&
      redirectOf(config, hostname) === undefined,
  )
  return fit?.hostname ?? null
}

export function redirectsToPrimary(config: DomainsConfig, own: string): boolean {
  return redirectOf(config, own)?.to === config.primary
}

/** Adds or removes the redirect from the default subdomain to the primary domain. */
export function withDefaultRedirect(config: DomainsConfig, own: string, redirects: boolean): DomainsConfig {
  if (!redirects) return withoutRedirect(config, own)
  return withRedirect(config, { from: own, to: config.primary, status: 301 }, own)
}

/** What the default subdomain does unless it redirects to the primary domain, which may show a branch. */
export function withoutDefaultRedirect(
  config: DomainsConfig,
  own: string,
  branch: string | null,
  shown: (hostname: string) => string,
): string {
  const { to } = redirectOf(config, own) ?? {}
  if (to !== undefined && to !== config.primary) return `Now it redirects to ${shown(to)}.`
  if (branch === null) return 'Otherwise both show the site.'
  return `Otherwise it shows what is live, while ${shown(config.primary)} shows the branch ${branch}.`
}

interface PrimaryNames {
  all: readonly string[]
  shown: (hostname: string) => string
  branchOf: (hostname: string) => string | null
}

/** The domains that may become primary. */
export function primaryChoices(config: DomainsConfig, { all, shown, branchOf }: PrimaryNames): NameChoice[] {
  return all.map((name) => {
    if (isWildcard(name)) return { name, not: 'a wildcard' }
    const to = redirectOf(config, name)?.to
    if (to !== undefined) return { name, not: `redirects to ${shown(to)}` }
    const branch = branchOf(name)
    return { name, not: null, ...(branch !== null && { note: `shows ${branch}` }) }
  })
}

export interface NameChoice {
  name: string
  /** Why the API would reject it here, or null. */
  not: string | null
  /** What to know before choosing it. */
  note?: string
}

/** The domains that may redirect. `editing` is the one whose redirect is being edited. */
export function fromChoices(
  config: DomainsConfig,
  names: readonly string[],
  editing: string | null,
): NameChoice[] {
  const others = otherRedirects(config, editing)
  return names.map((name) => {
    if (name === config.primary) return { name, not: 'the primary domain' }
    if (others.some(({ from }) => from === name)) return { name, not: 'already redirects' }
    if (others.some(({ to }) => to === name)) return { name, not: 'others redirect to it' }
    return { name, not: null }
  })
}

/** The domains that `from` may redirect to: those that do not redirect themselves. */
export function toChoices(
  config: DomainsConfig,
  names: readonly string[],
  editing: string | null,
  from: string,
): NameChoice[] {
  const others = otherRedirects(config, editing)
  return names.map((name) => {
    if (name === from) return { name, not: 'the same domain' }
    if (isWildcard(name)) return { name, not: 'a wildcard' }
    if (others.some((each) => each.from === name)) return { name, not: 'already redirects' }
    return { name, not: null }
  })
}

/** Visitors can be sent from all its names, but only to one. */
function isWildcard(hostname: string): boolean {
  return hostname.startsWith('*.')
}

function otherRedirects({ redirects }: DomainsConfig, editing: string | null): Redirect[] {
  return redirects.filter(({ from }) => from !== editing)
}

export const redirectStatusWords = {
  301: {
    title: '301 permanent',
    meaning: 'For permanent moves. Browsers and search engines remember it, and form data may be lost.',
  },
  302: {
    title: '302 temporary',
    meaning: 'For temporary moves. Browsers check again on every visit, and form data may be lost.',
  },
  307: {
    title: '307 temporary',
    meaning:
      'For temporary moves. Browsers check again on every visit, and forms and API calls are preserved.',
  },
  308: {
    title: '308 permanent',
    meaning:
      'For permanent moves. Browsers and search engines remember it, and forms and API calls are preserved.',
  },
} as const satisfies Record<RedirectStatus, { title: string; meaning: string }>

/**
 * The API validates the whole configuration, but the form edits one redirect: errors about that redirect stay with
 * their fields, others become one message.
 */
export function errorForRedirect(error: unknown, index: number): unknown {
  if (!(error instanceof ProblemError) || error.code !== 'domain_config_invalid') return error
  const own = `domains.redirects.${index}.`
  if (error.errors.every(({ path }) => path.startsWith(own))) return error
  return new Error([...new Set(error.errors.map(({ message }) => `${message}.`))].join(' '), { cause: error })
}
