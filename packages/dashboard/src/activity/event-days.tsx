import type { AccountEvent } from '@masthead/contract/schemas/event.ts'
import { RuledList } from '../ui/rule.tsx'
import { Section } from '../ui/section.tsx'
import { byDay } from './days.ts'
import { EventRow } from './event-row.tsx'

interface EventDaysProps {
  events: readonly AccountEvent[]
  /** The slug of a project now, where it is still there. */
  slugOf: (projectId: AccountEvent['projectId']) => string | null
  namesProjects: boolean
}

export function EventDays({ events, slugOf, namesProjects }: EventDaysProps) {
  return byDay(events, new Date()).map(({ words, items }) => (
    <Section key={words} title={words}>
      <RuledList label={`What happened: ${words}`}>
        {items.map((event) => (
          <EventRow
            key={event.id}
            event={event}
            slug={slugOf(event.projectId)}
            namesProject={namesProjects}
          />
        ))}
      </RuledList>
    </Section>
  ))
}
