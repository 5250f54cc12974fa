import { coveringWildcard } from '@masthead/contract/domains/wildcards.ts'
import type { RemovedDomain } from '@masthead/contract/schemas/domains/domain.ts'
import type { EventActor } from '../../events/record-event.ts'
import { isoTime } from '../../kernel/clock.ts'
import { lockProject } from '../../projects/change-project.ts'
import type { ProjectRow } from '../../projects/project.ts'
import { detachFromConfig } from '../config/change-config.ts'
import {
  defaultSubdomain,
  redirectOf,
  type StoredConfig,
  type StoredRedirect,
} from '../config/domain-config.ts'
import { recordTouchedNames } from '../config/record-changes.ts'
import { findServed } from '../config/served-name.ts'
import type { DomainContext } from '../context.ts'
import { type DomainRow, isServing, noSuchDomain } from '../domain.ts'
import { applyCertificateNeed } from '../https/certificate-need.ts'
import { lockHostname } from '../locks.ts'
import { findDomain } from '../store.ts'
import { replaceWithTombstone } from './tombstones.ts'

/** The domain stops being served immediately, and redirects from and to it are removed. */
export function removeDomain(
  context: DomainContext,
  { project, hostname, by }: { project: ProjectRow; hostname: string; by: EventActor },
): Promise<RemovedDomain> {
  const { database, changes, naming, now } = context
  return database.write(async (tx) => {
    const at = now()
    const current = await lockProject(database, tx, project.id)
    await lockHostname(database, tx, hostname)
    const row = await findDomain(tx, project.id, hostname)
    if (current === undefined || row === undefined) throw noSuchDomain(project, hostname)
    const left = await detachFromConfig(context, tx, { project: current, hostname, by, at })
    await replaceWithTombstone(tx, row, by, at)
    await changes.record(tx, { kind: 'domain_stopped', subject: hostname })
    await recordTouchedNames(context, tx, current.slug, left.touched)
    await applyCertificateNeed(context, tx, { before: row, after: null, at })
    const served = await findServed(tx, hostname)
    const covering = served === null ? null : coveringWildcard(hostname, [served])
    const warnings = removalWarnings(row, { ...left, covering }, defaultSubdomain(current, naming))
    return { hostname, removedAt: isoTime(at), warnings }
  })
}

const namesShown = 5

interface Removed {
  before: StoredConfig
  touched: readonly (string | null)[]
  /** The wildcard that answers for the name from now on. */
  covering: string | null
}

/** Consequences of the removal that are easy to overlook. */
function removalWarnings(
  row: Pick<DomainRow, 'hostname' | 'held' | 'state'>,
  { before, touched, covering }: Removed,
  defaultSubdomain: string,
): RemovedDomain['warnings'] {
  const { hostname } = row
  const warnings: RemovedDomain['warnings'] = []
  const redirect = redirectOf(before.redirects, hostname)
  const message = covering === null ? brokenLinks(row, redirect, defaultSubdomain) : null
  if (message !== null) warnings.push({ code: 'no_redirect', message })
  if (covering !== null) {
    const message = `${covering} covers ${hostname}: links to it show what ${covering} shows.`
    warnings.push({ code: 'wildcard_covers', message })
  }
  if (before.primary === hostname) {
    const message = `${hostname} was the primary domain. The primary domain is now ${defaultSubdomain}.`
    warnings.push({ code: 'primary_removed', message })
  }
  if (touched.length > 0) {
    const names = enumerate(touched.map((name) => name ?? defaultSubdomain))
    const message = `These domains no longer redirect and show the site instead: ${names}.`
    warnings.push({ code: 'redirects_removed', message })
  }
  return warnings
}

function enumerate(names: string[]): string {
  const more = names.length - namesShown
  return names.slice(0, namesShown).join(', ') + (more > 0 ? ` and ${more} more` : '')
}

function brokenLinks(
  row: Pick<DomainRow, 'hostname' | 'held' | 'state'>,
  redirect: StoredRedirect | undefined,
  defaultSubdomain: string,
): string | null {
  const { hostname } = row
  if (!isServing(row)) {
    return redirect === undefined
      ? `${hostname} was not being served and had no redirect. ` +
          'If links to it are in use, add it again and redirect it to another domain of the project.'
      : null
  }
  return redirect === undefined
    ? `Links to ${hostname} no longer work. ` +
        'To keep them working, add it again and redirect it to another domain of the project.'
    : `Links to ${hostname} no longer work: they redirected to ${redirect.to ?? defaultSubdomain}. ` +
        'To keep them working, add it again and redirect it as before.'
}
