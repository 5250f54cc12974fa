import { eventKinds } from '@masthead/contract/events.ts'
import type { AccountEvent } from '@masthead/contract/schemas/account.ts'
import type { Project } from '@masthead/contract/schemas/project.ts'
import { EventDays, NothingFound } from '../activity/event-list.tsx'
import { kindNamed } from '../activity/events.ts'
import { KindSelect, ProjectSelect } from '../activity/filters.tsx'
import { useEvents } from '../data/events.ts'
import { useNewestProjects } from '../data/projects.ts'
import { GuideLink } from '../guide-link.tsx'
import { Loaded, ShowMore } from '../loaded.tsx'
import { Page } from '../ui/page.tsx'
import { useUrlFilter } from '../ui/url-state.ts'

/** A list to choose from by typing. */
const bySlug = (projects: readonly Project[]) => projects.toSorted((a, b) => (a.slug < b.slug ? -1 : 1))

export function ActivityPage() {
  const { chosen, choose, clear } = useUrlFilter()
  const kind = kindNamed(chosen('kind'))
  const project = chosen('project') || undefined
  const list = useEvents({ kind, project })
  const known = useNewestProjects().data?.projects ?? []
  const slugs = new Map(known.map(({ id, slug }) => [id, slug]))
  // A deleted project is not linked, nor is one that may be.
  const slugOf = (id: AccountEvent['projectId']) => (id === null ? null : (slugs.get(id) ?? null))
  return (
    <Page
      title="Activity"
      intro={
        <>
          Everything that happened in this account, and who did it.
          <GuideLink to="activity" />
        </>
      }
    >
      <div className="mb-10 grid max-w-[480px] gap-4 sm:grid-cols-2">
        <KindSelect kinds={eventKinds} value={kind} onChoose={(value) => choose('kind', value)} />
        <ProjectSelect
          projects={bySlug(known)}
          value={project}
          onChoose={(value) => choose('project', value)}
        />
      </div>
      <Loaded query={list}>
        {(events) => (
          <>
            {events.length === 0 && <NothingFound onClear={clear} />}
            <EventDays events={events} slugOf={slugOf} showProjects />
            <ShowMore list={list} />
          </>
        )}
      </Loaded>
    </Page>
  )
}
