import { EventDays, NothingFound } from '../../activity/event-list.tsx'
import { kindNamed, projectKinds } from '../../activity/events.ts'
import { KindSelect } from '../../activity/filters.tsx'
import { useEvents } from '../../data/events.ts'
import { useProject } from '../../layout/project-frame.tsx'
import { Loaded, ShowMore } from '../../loaded.tsx'
import { Page } from '../../ui/page.tsx'
import { useUrlFilter } from '../../ui/url-state.ts'

export function ProjectActivityPage() {
  const { id, slug } = useProject()
  const { chosen, choose, clear } = useUrlFilter()
  const kind = kindNamed(chosen('kind'), projectKinds)
  const list = useEvents({ kind, project: id })
  return (
    <Page title="Activity" intro="Everything that happened in this project, and who did it.">
      <div className="mb-10 max-w-[232px]">
        <KindSelect kinds={projectKinds} value={kind} onChoose={(value) => choose('kind', value)} />
      </div>
      <Loaded query={list}>
        {(events) => (
          <>
            {events.length === 0 && <NothingFound onClear={clear} />}
            <EventDays events={events} slugOf={() => slug} showProjects={false} />
            <ShowMore list={list} />
          </>
        )}
      </Loaded>
    </Page>
  )
}
