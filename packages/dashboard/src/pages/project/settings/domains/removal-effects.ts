import type { Config } from './config-change.ts'
import { redirectOf } from './config-change.ts'

export interface RemovalEffects {
  isPrimary: boolean
  /** Where it redirects by now, if anywhere. */
  redirectsTo: string | null
  /** Names whose redirects go with it; they show the site themselves from then on. */
  released: string[]
}

/** What the removal of a domain takes along. As the API does it: the default subdomain becomes the primary one. */
export function removalEffects(hostname: string, config: Config, defaultSubdomain: string): RemovalEffects {
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
