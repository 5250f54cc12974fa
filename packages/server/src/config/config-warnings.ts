import type { Config } from './config.ts'
import { closestSetting } from './setting-names.ts'

/** Settings that work, but are unwise. */
export function configWarnings(config: Config): string[] {
  const { platformDomain, dashboardHost, roles, workers } = config
  const warnings = config.unknownSettings.map(unknownSettingWarning)
  if (dashboardHost === platformDomain || dashboardHost.endsWith(`.${platformDomain}`)) {
    warnings.push(
      `MASTHEAD_DASHBOARD_HOST ${dashboardHost} is under the platform domain ${platformDomain}, so browsers treat ` +
        'published sites as same-site with the dashboard. Use a host outside the platform domain.',
    )
  }
  if (workers > 1 && !roles.has('edge')) {
    warnings.push(`MASTHEAD_WORKERS ${workers} has no effect, because MASTHEAD_ROLES does not include edge.`)
  }
  return warnings
}

function unknownSettingWarning(name: string): string {
  const meant = closestSetting(name)
  const advice = meant === null ? 'Use one that docs/configuration.md lists' : `Use ${meant} if you mean that`
  return `${name} is not a setting and has no effect. ${advice}, or remove it.`
}
