import { getDomain } from 'tldts'
import type { Config } from './config.ts'
import { closestSetting } from './setting-names.ts'

/** What the start writes to the log, and the doctor shows in two parts. */
export interface ConfigWarning {
  message: string
  /** What to do, where the message does not say it. */
  fix: string | null
}

export function warningText({ message, fix }: ConfigWarning): string {
  return fix === null ? message : `${message} ${fix}`
}

/** Settings that work, but are unwise. */
export function configWarnings(config: Config): ConfigWarning[] {
  const { platformDomain, dashboardHost, roles, workers } = config
  const warnings = config.unknownSettings.map(unknownSettingWarning)
  const shared = sharedSite(dashboardHost, platformDomain)
  if (shared !== null) {
    warnings.push({
      message:
        `MASTHEAD_DASHBOARD_HOST ${dashboardHost} and the sites below ${platformDomain} are all part of ${shared}, so ` +
        'browsers treat them as same-site, and a published site can set cookies for the dashboard.',
      fix: `Use a host that is not below ${shared}.`,
    })
  }
  if (workers > 1 && !roles.has('edge')) {
    warnings.push({
      message: `MASTHEAD_WORKERS ${workers} has no effect, because MASTHEAD_ROLES does not include edge.`,
      fix: null,
    })
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

function unknownSettingWarning(name: string): ConfigWarning {
  const meant = closestSetting(name)
  const advice = meant === null ? 'Use one that docs/configuration.md lists' : `Use ${meant} if you mean that`
  return { message: `${name} is not a setting and has no effect.`, fix: `${advice}, or remove it.` }
}
