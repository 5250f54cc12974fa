import { domainStates, isReached } from '@masthead/contract/domains/states.ts'
import type { Domain } from '@masthead/contract/schemas/domains/domain.ts'
import type { DomainConfig } from '@masthead/contract/schemas/domains/domain-config.ts'
import { Link } from 'react-router'
import { useProject } from '../../../../layout/project-frame.tsx'
import { useHasScope } from '../../../../layout/signed-in.tsx'
import { paths } from '../../../../paths.ts'
import { Badge, Status } from '../../../../ui/status.tsx'
import { statusWords } from './state/status-words.ts'
import { timelineHash } from './state/timeline-words.ts'

/** The hostname in Unicode, linked to the site if it is served. */
export function DomainName({ domain: { unicode, kind, state, url } }: { domain: Domain }) {
  if (!isReached(state) || kind === 'wildcard') return unicode
  return (
    <a href={url} target="_blank" rel="noopener noreferrer" className="hover:link">
      {unicode}
      <span aria-hidden="true" className="ml-1 font-normal text-soft">
        ↗
      </span>
    </a>
  )
}

/** The hostname in ASCII, if it differs. */
export function AsciiName({ domain: { hostname, unicode } }: { domain: Domain }) {
  if (unicode === hostname) return null
  return <code className="min-w-0 basis-full font-mono text-small wrap-anywhere text-soft">{hostname}</code>
}

interface DomainBadgesProps {
  domain: Pick<Domain, 'hostname' | 'kind' | 'branch'>
  config: DomainConfig | undefined
}

export function DomainBadges({ domain: { hostname, kind, branch }, config }: DomainBadgesProps) {
  const redirectsTo = config?.domains.redirects.find(({ from }) => from === hostname)?.to
  return (
    <>
      {config?.domains.primary === hostname && <Badge>Primary</Badge>}
      {kind === 'apex' && <Badge>Apex</Badge>}
      {kind === 'wildcard' && <Badge>Wildcard</Badge>}
      {branch !== null && <Badge>Shows {branch}</Badge>}
      {redirectsTo !== undefined && <Badge>Redirects to {redirectsTo}</Badge>}
    </>
  )
}

/** Announced by screen readers when it changes. */
export function DomainStatus({ domain }: { domain: Domain }) {
  const { tone, title } = statusWords(domain)
  return (
    <span role="status" className="shrink-0">
      <span className="sr-only">{domain.unicode}: </span>
      <Status tone={tone}>{title}</Status>
    </span>
  )
}

const quiet = 'rounded-chip px-2.5 py-1.5 text-soft transition-colors duration-150 hover:text-ink'

interface DomainLinksProps {
  domain: Domain
  onRemove: () => void
  /** Whether it is shown on the page of the domain, which already has the timeline. */
  page: boolean
}

export function DomainLinks({ domain: { hostname, unicode, state }, onRemove, page }: DomainLinksProps) {
  const { slug } = useProject()
  const mayChange = useHasScope('domains')
  const permits: readonly string[] = domainStates[state].permits
  return (
    <div className="-mr-2.5 ml-auto flex flex-wrap items-center justify-end gap-x-2 sm:gap-x-4">
      {!page && (
        <Link
          to={paths.domain(slug, hostname) + timelineHash}
          aria-label={`Timeline of ${unicode}`}
          className={quiet}
        >
          Timeline
        </Link>
      )}
      {mayChange && permits.includes('remove') && (
        <button
          type="button"
          aria-label={`Remove ${unicode}`}
          className={`${quiet} hover:text-stopped`}
          onClick={onRemove}
        >
          Remove
        </button>
      )}
    </div>
  )
}
