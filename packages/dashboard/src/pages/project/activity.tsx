import { EventDays } from '../../activity/event-days.tsx'
import { KindSelect } from '../../activity/kind-select.tsx'
import { kindNamed, projectKinds } from '../../activity/kinds.ts'
import { NothingFound } from '../../activity/nothing-found.tsx'
import { useAddressFilter } from '../../activity/use-address-filter.ts'
import { useEvents } from '../../data/events.ts'
import { useProject } from '../../layout/project-frame.tsx'
import { Loaded } from '../../loaded.tsx'
import { ShowMore } from '../../show-more.tsx'
import { Page } from '../../ui/page.tsx'

export function ProjectActivityPage() {
  const { id, slug } = useProject()
  const { chosen, choose, clear } = useAddressFilter()
  const kind = kindNamed(chosen('kind'), projectKinds)
  const list = useEvents({ kind, project: id })
  return (
    <Page title="Activity" lede="What happened in this project, by whom and when.">
      <div className="mb-10 max-w-[232px]">
        <KindSelect kinds={projectKinds} value={kind} onChoose={(value) => choose('kind', value)} />
      </div>
      <Loaded query={list}>
        {(events) => (
          <>
            {events.length === 0 && <NothingFound onClear={clear} />}
            <EventDays events={events} slugOf={() => slug} namesProjects={false} />
            <ShowMore list={list} />
          </>
        )}
      </Loaded>
    </Page>
  )
}
