import type { RemovedDomain } from '@masthead/contract/schemas/domain.ts'
import { isServing } from './decide.ts'
import type { DomainRow } from './domain.ts'
import { type Config, type Redirect, redirectOf } from './domain-config.ts'

const namesShown = 5

/** What somebody who removed a domain may not have thought of. Links break only where they led somewhere. */
export function removalWarnings(
  row: Pick<DomainRow, 'hostname' | 'held' | 'state'>,
  { before, dropped }: { before: Config; dropped: readonly Redirect[] },
  defaultSubdomain: string,
): RemovedDomain['warnings'] {
  const { hostname } = row
  const warnings: RemovedDomain['warnings'] = []
  if (isServing(row)) {
    const redirect = redirectOf(before.redirects, hostname)
    const message =
      redirect === undefined
        ? `Links to ${hostname} lead nowhere from now on. ` +
          'To keep them working, add it again and redirect it to another domain of the project.'
        : `Links to ${hostname} no longer lead to ${redirect.to ?? defaultSubdomain}, nor anywhere else. ` +
          'To keep them working, add it again and redirect it as before.'
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
