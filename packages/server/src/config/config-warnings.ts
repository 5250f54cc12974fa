import { getDomain } from 'tldts'
import type { Config } from './config.ts'
import { closestSetting } from './setting-names.ts'

/** Settings that work, but are unwise. */
export function configWarnings(config: Config): string[] {
  const { platformDomain, dashboardHost, roles, workers } = config
  const warnings = config.unknownSettings.map(unknownSettingWarning)
  const shared = sharedSite(dashboardHost, platformDomain)
  if (shared !== null) {
    warnings.push(
      `MASTHEAD_DASHBOARD_HOST ${dashboardHost} and the sites below ${platformDomain} are all part of ${shared}, so ` +
        'browsers treat them as same-site, and a published site can set cookies for the dashboard. ' +
        `Use a host that is not below ${shared}.`,
    )
  }
  if (workers > 1 && !roles.has('edge')) {
    warnings.push(`MASTHEAD_WORKERS ${workers} has no effect, because MASTHEAD_ROLES does not include edge.`)
  }
  return warnings
}

/**
 * The registrable domain of both, which is what browsers compare, by the whole Public Suffix List. Null for a platform
 * domain that is on the list, since each of its sites is apart from all others, and for names of this machine.
 */
function sharedSite(dashboardHost: string, platformDomain: string): string | null {
  const [own, sites] = [dashboardHost, platformDomain].map((name) =>
    getDomain(name, { allowPrivateDomains: true }),
  )
  return own && own === sites && !own.endsWith('.localhost') ? own : null
}

function unknownSettingWarning(name: string): string {
  const meant = closestSetting(name)
  const advice = meant === null ? 'Use one that docs/configuration.md lists' : `Use ${meant} if you mean that`
  return `${name} is not a setting and has no effect. ${advice}, or remove it.`
}
