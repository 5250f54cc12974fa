import type { Client } from '@masthead/client/client.ts'
import { ProblemError } from '@masthead/client/errors.ts'
import type { DomainConfig } from '@masthead/contract/schemas/domains/domain-config.ts'

export type DomainsConfig = DomainConfig['domains']
export type Redirect = DomainsConfig['redirects'][number]

export function withPrimary(config: DomainsConfig, primary: string): DomainsConfig {
  return { ...config, primary }
}

/** A domain redirects only once, so its `from` in `replacing` identifies the redirect to replace. */
export function withRedirect(
  config: DomainsConfig,
  redirect: Redirect,
  replacing: string | null = null,
): DomainsConfig {
  const index = config.redirects.findIndex(({ from }) => from === replacing)
  const redirects = index === -1 ? [...config.redirects, redirect] : config.redirects.with(index, redirect)
  return { ...config, redirects }
}

export function withoutRedirect(config: DomainsConfig, from: string): DomainsConfig {
  return { ...config, redirects: config.redirects.filter((each) => each.from !== from) }
}

export function sameConfig(one: DomainsConfig, other: DomainsConfig): boolean {
  return configDifference(one, other).length === 0
}

/** The changes between two configurations, one sentence each. `shown` formats a hostname. */
export function configDifference(
  before: DomainsConfig,
  after: DomainsConfig,
  shown: (hostname: string) => string = (hostname) => hostname,
): string[] {
  const primary =
    before.primary === after.primary ? [] : [`The primary domain is now ${shown(after.primary)}.`]
  const stopped = before.redirects
    .filter(({ from }) => redirectOf(after, from) === undefined)
    .map(({ from }) => `${shown(from)} no longer redirects.`)
  const changed = after.redirects.flatMap((redirect) => {
    const { from, to, status } = redirect
    const was = redirectOf(before, from)
    if (was !== undefined && was.to === to && was.status === status) return []
    return was?.to === to
      ? [`${shown(from)} now redirects with status ${status}.`]
      : [`${shown(from)} now redirects to ${shown(to)}.`]
  })
  return [...primary, ...stopped, ...changed]
}

export function redirectOf({ redirects }: DomainsConfig, hostname: string): Redirect | undefined {
  return redirects.find(({ from }) => from === hostname)
}

export interface Save {
  /** What the person saw when they decided. */
  seen: DomainsConfig
  next: DomainsConfig
}

type Found = Awaited<ReturnType<Client['getDomainConfig']>>

/** Someone else saved first: nothing was saved, and `current` is their version. */
export class ConfigConflictError extends Error {
  override readonly name = 'ConfigConflictError'
  readonly current: Found

  constructor(current: Found) {
    super('Someone else changed this, so nothing was saved. The page now shows their version.')
    this.current = current
  }
}

/** Replaces the whole configuration, unless it changed since the person saw it. */
export async function replaceConfig(
  client: Pick<Client, 'getDomainConfig' | 'putDomainConfig'>,
  params: { project: string },
  { seen, next }: Save,
): Promise<Found> {
  const current = await client.getDomainConfig({ params })
  if (!sameConfig(current.domains, seen)) throw new ConfigConflictError(current)
  try {
    return await client.putDomainConfig({ params, body: { domains: next }, ifMatch: current.etag })
  } catch (error) {
    if (!(error instanceof ProblemError) || error.code !== 'domain_config_changed') throw error
    throw new ConfigConflictError(await client.getDomainConfig({ params }))
  }
}

export interface RemovalEffects {
  isPrimary: boolean
  /** The target of its redirect, if any. */
  redirectsTo: string | null
  /** Domains whose redirects are removed with it, so that they show the site themselves. */
  released: string[]
}

/** What else changes when a domain is removed. The API makes the default subdomain primary again. */
export function removalEffects(
  hostname: string,
  config: DomainsConfig,
  defaultSubdomain: string,
): RemovalEffects {
  const isPrimary = config.primary === hostname
  const released = config.redirects.filter(
    ({ from, to }) => from !== hostname && (to === hostname || (isPrimary && from === defaultSubdomain)),
  )
  return {
    isPrimary,
    redirectsTo: redirectOf(config, hostname)?.to ?? null,
    released: released.map(({ from }) => from),
  }
}
