import type { AccountEvent } from '@masthead/contract/schemas/event.ts'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { paths } from '../paths.ts'
import { exactTime } from '../ui/relative-time.ts'
import { actorWords } from './actor-words.ts'
import { eventSentence } from './event-sentence.ts'
import type { Named } from './sentence.ts'

interface EventRowProps {
  event: AccountEvent
  /** The slug of its project now, or null where it has none that is still there. */
  slug: string | null
  /** Whether the project has to be named. */
  namesProject: boolean
}

export function EventRow({ event, slug, namesProject }: EventRowProps) {
  const at = Date.parse(event.at)
  return (
    <li className="grid grid-cols-[52px_minmax(0,1fr)] gap-x-3 py-3 sm:grid-cols-[64px_minmax(0,1fr)_minmax(0,224px)] sm:gap-x-5">
      <time dateTime={event.at} title={exactTime(at)} className="text-soft">
        {new Date(at).toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' })}
      </time>
      <p className="min-w-0 wrap-anywhere">
        {eventSentence(event).map((part) =>
          typeof part === 'string' ? part : <NameInSentence key={part.name} part={part} slug={slug} />,
        )}
        .
      </p>
      <p className="col-start-2 min-w-0 text-small text-soft wrap-anywhere sm:col-start-3 sm:text-right">
        {actorWords(event.actor)}
        {namesProject && slug !== null && (
          <>
            {' · '}
            <Link to={paths.project(slug)} className="link">
              {slug}
            </Link>
          </>
        )}
      </p>
    </li>
  )
}

function NameInSentence({
  part: { name, is, foundBy = name },
  slug,
}: {
  part: Named
  slug: string | null
}): ReactNode {
  const to = slug === null ? null : leadsTo(is, slug, foundBy)
  const look = is === 'deployment' ? 'font-mono text-small' : 'font-medium'
  if (to === null) return <span className={look}>{name}</span>
  return (
    <Link to={to} className={`link ${look}`}>
      {name}
    </Link>
  )
}

function leadsTo(is: Named['is'], slug: string, foundBy: string): string | null {
  if (is === 'domain') return paths.domain(slug, foundBy)
  if (is === 'deployment') return paths.deployment(slug, foundBy)
  return is === 'project' ? paths.project(slug) : null
}
