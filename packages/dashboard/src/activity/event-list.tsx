import type { AccountEvent } from '@masthead/contract/schemas/account.ts'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { paths } from '../paths.ts'
import { Button } from '../ui/button.tsx'
import { Empty, Section } from '../ui/page.tsx'
import { RuledList } from '../ui/table.tsx'
import { exactTime } from '../ui/time-words.ts'
import { eventSentence } from './event-sentence.ts'
import { byDay } from './events.ts'
import { actorWords, type Named } from './sentence.ts'

interface EventDaysProps {
  events: readonly AccountEvent[]
  /** The current slug of a project, or null once it is deleted. */
  slugOf: (projectId: AccountEvent['projectId']) => string | null
  showProjects: boolean
}

export function EventDays({ events, slugOf, showProjects }: EventDaysProps) {
  return byDay(events, new Date()).map(({ words, items }) => (
    <Section key={words} title={words}>
      <RuledList label={`Events: ${words}`}>
        {items.map((event) => (
          <EventRow key={event.id} event={event} slug={slugOf(event.projectId)} showProject={showProjects} />
        ))}
      </RuledList>
    </Section>
  ))
}

interface EventRowProps {
  event: AccountEvent
  /** Null for an event without a project, or whose project is deleted. */
  slug: string | null
  showProject: boolean
}

function EventRow({ event, slug, showProject }: EventRowProps) {
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
        <bdi>{actorWords(event.actor)}</bdi>
        {showProject && slug !== null && (
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
  const to = slug === null ? null : linkTo(is, slug, foundBy)
  if (to === null) return <bdi className="font-medium">{name}</bdi>
  return (
    <Link to={to} className="link font-medium">
      <bdi>{name}</bdi>
    </Link>
  )
}

function linkTo(is: Named['is'], slug: string, foundBy: string): string | null {
  if (is === 'domain') return paths.domain(slug, foundBy)
  if (is === 'deployment') return paths.deployment(slug, foundBy)
  return is === 'project' ? paths.project(slug) : null
}

export function NothingFound({ onClear }: { onClear: () => void }) {
  return (
    <Empty title="No matching activity">
      <p>No events match these filters.</p>
      <Button className="mt-4 text-ink" onClick={onClear}>
        Clear filters
      </Button>
    </Empty>
  )
}
