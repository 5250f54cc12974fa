import type { Client } from '@masthead/client/client.ts'
import { ProblemError } from '@masthead/client/errors.ts'
import type { DomainConfig } from '@masthead/contract/schemas/domain-config.ts'

export type DomainsConfig = DomainConfig['domains']
export type Redirect = DomainsConfig['redirects'][number]

export function withPrimary(config: DomainsConfig, primary: string): DomainsConfig {
  return { ...config, primary }
}

/** A name redirects once, so `replacing` (a `from`) tells which entry is meant, whatever its place is by now. */
export function withRedirect(
  config: DomainsConfig,
  redirect: Redirect,
  replacing: string | null = null,
): DomainsConfig {
  const place = config.redirects.findIndex(({ from }) => from === replacing)
  const redirects = place === -1 ? [...config.redirects, redirect] : config.redirects.with(place, redirect)
  return { ...config, redirects }
}

export function withoutRedirect(config: DomainsConfig, from: string): DomainsConfig {
  return { ...config, redirects: config.redirects.filter((each) => each.from !== from) }
}

export function sameConfig(one: DomainsConfig, other: DomainsConfig): boolean {
  return configDifference(one, other).length === 0
}

/** What one configuration has that the other had not, a sentence each. `shown` is a name as people read it. */
export function configDifference(
  before: DomainsConfig,
  after: DomainsConfig,
  shown: (hostname: string) => string = (hostname) => hostname,
): string[] {
  const primary =
    before.primary === after.primary ? [] : [`The primary domain is ${shown(after.primary)} now.`]
  const stopped = before.redirects
    .filter(({ from }) => redirectOf(after, from) === undefined)
    .map(({ from }) => `${shown(from)} no longer redirects.`)
  const changed = after.redirects.flatMap((redirect) => {
    const { from, to, status } = redirect
    const was = redirectOf(before, from)
    if (was !== undefined && was.to === to && was.status === status) return []
    return was?.to === to
      ? [`${shown(from)} redirects with status ${status} now.`]
      : [`${shown(from)} redirects to ${shown(to)} now.`]
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

/** Somebody else was first: nothing was saved, and what they made of it is `current`. */
export class ConfigConflictError extends Error {
  override readonly name = 'ConfigConflictError'
  readonly current: Found

  constructor(current: Found) {
    super('Somebody changed this meanwhile, and nothing was saved. What is shown now is how it is.')
    this.current = current
  }
}

/** Replaces the configuration as a whole, unless it is no longer the one that was seen. */
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
  /** Where it redirects by now, if anywhere. */
  redirectsTo: string | null
  /** Names whose redirects go with it; they show the site themselves from then on. */
  released: string[]
}

/** What the removal of a domain takes along. As the API does it: the default subdomain becomes the primary one. */
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
