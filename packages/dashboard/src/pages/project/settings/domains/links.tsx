import { domainStates } from '@masthead/contract/domain-states.ts'
import type { Domain } from '@masthead/contract/schemas/domain.ts'
import { Link } from 'react-router'
import { useProject } from '../../../../layout/project-frame.tsx'
import { useMay } from '../../../../layout/signed-in.tsx'
import { paths } from '../../../../paths.ts'
import { timelineHash } from './timeline-hash.ts'

const quiet = 'rounded-chip px-2.5 py-1.5 text-soft transition-colors duration-150 hover:text-ink'

interface DomainLinksProps {
  domain: Domain
  onRemove: () => void
  /** Whether it stands on the page of the domain, which has the timeline already. */
  page: boolean
}

/** What one rarely wants, at the right and quiet. */
export function DomainLinks({ domain: { hostname, unicode, state }, onRemove, page }: DomainLinksProps) {
  const { slug } = useProject()
  const mayChange = useMay('domains')
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
