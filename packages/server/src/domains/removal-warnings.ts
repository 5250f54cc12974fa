import type { RemovedDomain } from '@masthead/contract/schemas/domain.ts'
import { isServing } from './decide.ts'
import type { DomainRow } from './domain.ts'
import { type Config, type Redirect, redirectOf } from './domain-config.ts'

const namesShown = 5

/** What somebody who removed a domain may not have thought of. */
export function removalWarnings(
  row: Pick<DomainRow, 'hostname' | 'held' | 'state'>,
  { before, dropped }: { before: Config; dropped: readonly Redirect[] },
  defaultSubdomain: string,
): RemovedDomain['warnings'] {
  const { hostname } = row
  const warnings: RemovedDomain['warnings'] = []
  const message = brokenLinks(row, redirectOf(before.redirects, hostname), defaultSubdomain)
  if (message !== null) warnings.push({ code: 'no_redirect', message })
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

/** Links break where they led somewhere; where they did not, nothing redirects them all the same. */
function brokenLinks(
  row: Pick<DomainRow, 'hostname' | 'held' | 'state'>,
  redirect: Redirect | undefined,
  defaultSubdomain: string,
): string | null {
  const { hostname } = row
  if (!isServing(row)) {
    return redirect === undefined
      ? `Nothing redirects ${hostname}, which was not being served. ` +
          'If links to it are in use, add it again and redirect it to another domain of the project.'
      : null
  }
  return redirect === undefined
    ? `Links to ${hostname} lead nowhere from now on. ` +
        'To keep them working, add it again and redirect it to another domain of the project.'
    : `Links to ${hostname} no longer lead to ${redirect.to ?? defaultSubdomain}, nor anywhere else. ` +
        'To keep them working, add it again and redirect it as before.'
}
