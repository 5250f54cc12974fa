import type { Domain } from '@masthead/contract/schemas/domain.ts'
import { type Config, redirectOf, withoutRedirect, withRedirect } from './config-change.ts'

/** The domain to offer as the primary one, while that is still the default subdomain. Nothing changes by itself. */
export function suggestedPrimary(
  config: Config,
  own: string,
  domains: readonly Pick<Domain, 'hostname' | 'state'>[],
): string | null {
  if (config.primary !== own) return null
  const fit = domains.find(
    ({ hostname, state }) => state === 'live' && redirectOf(config, hostname) === undefined,
  )
  return fit?.hostname ?? null
}

export function leadsToPrimary(config: Config, own: string): boolean {
  return redirectOf(config, own)?.to === config.primary
}

/** Whether visitors of the default subdomain are sent on to the primary domain. */
export function withOwnLeading(config: Config, own: string, leads: boolean): Config {
  if (!leads) return withoutRedirect(config, own)
  return withRedirect(config, { from: own, to: config.primary, status: 301 }, own)
}
