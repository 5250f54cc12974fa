import { ProblemError } from '@masthead/client/errors.ts'
import type { RedirectStatus } from '@masthead/contract/project-settings.ts'
import type { Domain } from '@masthead/contract/schemas/domain.ts'
import { type DomainsConfig, type Redirect, redirectOf, withoutRedirect, withRedirect } from './config.ts'

/** The domain to offer as the primary one, while that is still the default subdomain. Nothing changes by itself. */
export function suggestedPrimary(
  config: DomainsConfig,
  own: string,
  domains: readonly Pick<Domain, 'hostname' | 'state'>[],
): string | null {
  if (config.primary !== own) return null
  const fit = domains.find(
    ({ hostname, state }) => state === 'live' && redirectOf(config, hostname) === undefined,
  )
  return fit?.hostname ?? null
}

export function redirectsToPrimary(config: DomainsConfig, own: string): boolean {
  return redirectOf(config, own)?.to === config.primary
}

/** Whether visitors of the default subdomain are sent on to the primary domain. */
export function withDefaultRedirect(config: DomainsConfig, own: string, leads: boolean): DomainsConfig {
  if (!leads) return withoutRedirect(config, own)
  return withRedirect(config, { from: own, to: config.primary, status: 301 }, own)
}

export interface NameChoice {
  name: string
  /** Why the API would not take it here; null where it would. */
  not: string | null
}

/** The names that may redirect. `editing` is the one whose redirect is changed: it is free to stay. */
export function fromChoices(
  config: DomainsConfig,
  names: readonly string[],
  editing: string | null,
): NameChoice[] {
  const others = otherRedirects(config, editing)
  return names.map((name) => {
    if (name === config.primary) return { name, not: 'the primary domain' }
    if (others.some(({ from }) => from === name)) return { name, not: 'redirects already' }
    if (others.some(({ to }) => to === name)) return { name, not: 'others redirect to it' }
    return { name, not: null }
  })
}

/** The names that `from` may lead to: others that show the site themselves. */
export function toChoices(
  config: DomainsConfig,
  names: readonly string[],
  editing: string | null,
  from: string,
): NameChoice[] {
  const others = otherRedirects(config, editing)
  return names.map((name) => {
    if (name === from) return { name, not: 'the same name' }
    if (others.some((each) => each.from === name)) return { name, not: 'redirects itself' }
    return { name, not: null }
  })
}

function otherRedirects({ redirects }: DomainsConfig, editing: string | null): Redirect[] {
  return redirects.filter(({ from }) => from !== editing)
}

/** What the status of a redirect tells browsers and search engines, in words. */
export const redirectStatusWords = {
  301: {
    title: '301 permanent',
    meaning:
      'For a move that stays. Browsers and search engines remember it; a form sent there may arrive empty.',
  },
  302: {
    title: '302 temporary',
    meaning: 'For a while. Asked for anew on every visit; a form sent there may arrive empty.',
  },
  307: {
    title: '307 temporary',
    meaning: 'For a while. Asked for anew on every visit; forms and API calls arrive as they were sent.',
  },
  308: {
    title: '308 permanent',
    meaning: 'For a move that stays. Remembered like 301; forms and API calls arrive as they were sent.',
  },
} as const satisfies Record<RedirectStatus, { title: string; meaning: string }>

/**
 * A refusal of the whole configuration, for a form that edits one entry of it: what is about that entry stays with
 * its fields, anything else is told as sentences.
 */
export function errorForRedirect(error: unknown, index: number): unknown {
  if (!(error instanceof ProblemError) || error.code !== 'domain_config_invalid') return error
  const own = `domains.redirects.${index}.`
  if (error.errors.every(({ path }) => path.startsWith(own))) return error
  return new Error([...new Set(error.errors.map(({ message }) => `${message}.`))].join(' '), { cause: error })
}
