import type { DomainConfig } from '@masthead/contract/schemas/domain-config.ts'

export type Config = DomainConfig['domains']
export type Redirect = Config['redirects'][number]

export function withPrimary(config: Config, primary: string): Config {
  return { ...config, primary }
}

/** A name redirects once, so `replacing` (a `from`) tells which entry is meant, whatever its place is by now. */
export function withRedirect(config: Config, redirect: Redirect, replacing: string | null = null): Config {
  const place = config.redirects.findIndex(({ from }) => from === replacing)
  const redirects = place === -1 ? [...config.redirects, redirect] : config.redirects.with(place, redirect)
  return { ...config, redirects }
}

export function withoutRedirect(config: Config, from: string): Config {
  return { ...config, redirects: config.redirects.filter((each) => each.from !== from) }
}

export function sameConfig(one: Config, other: Config): boolean {
  return configDifference(one, other).length === 0
}

/** What one configuration has that the other had not, a sentence each. `shown` is a name as people read it. */
export function configDifference(
  before: Config,
  after: Config,
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

export function redirectOf({ redirects }: Config, hostname: string): Redirect | undefined {
  return redirects.find(({ from }) => from === hostname)
}
