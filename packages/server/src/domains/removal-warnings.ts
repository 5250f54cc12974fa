import type { RemovedDomain } from '@masthead/contract/schemas/domain.ts'
import { type Config, type Redirect, redirectOf } from './domain-config.ts'

const namesShown = 5

/** What somebody who removed a domain may not have thought of. */
export function removalWarnings(
  hostname: string,
  { before, dropped }: { before: Config; dropped: readonly Redirect[] },
  defaultSubdomain: string,
): RemovedDomain['warnings'] {
  const warnings: RemovedDomain['warnings'] = []
  if (redirectOf(before.redirects, hostname) === undefined) {
    const message =
      `Links to ${hostname} lead nowhere from now on. ` +
      'To keep them working, add it again and redirect it to another domain of the project.'
    warnings.push({ code: 'no_redirect', message })
  }
  if (before.primary === hostname) {
    const message = `${hostname} was the primary domain. The primary domain is ${defaultSubdomain} now.`
    warnings.push({ code: 'primary_removed', message })
  }
  if (dropped.length > 0) {
    const names = enumerate(dropped.map(({ from }) => from ?? defaultSubdomain))
    const message = `With ${hostname} these no longer redirect, and show the site themselves: ${names}.`
    warnings.push({ code: 'redirects_removed', message })
  }
  return warnings
}

function enumerate(names: string[]): string {
  const more = names.length - namesShown
  return names.slice(0, namesShown).join(', ') + (more > 0 ? ` and ${more} more` : '')
}
