import { lazy, Suspense, useState } from 'react'
import { Link } from 'react-router'
import { useAddressFilter } from '../activity/use-address-filter.ts'
import { useProjects } from '../data/projects.ts'
import { useMay, useSignedIn } from '../layout/signed-in.tsx'
import { Loaded } from '../loaded.tsx'
import { paths } from '../paths.ts'
import { DropHint } from '../publish/drop-hint.tsx'
import type { Source } from '../publish/read-site.ts'
import { useDrop } from '../publish/use-drop.ts'
import { ShowMore } from '../show-more.tsx'
import { buttonClass } from '../ui/button.tsx'
import { Empty } from '../ui/empty.tsx'
import { Page } from '../ui/page.tsx'
import { RuledList } from '../ui/rule.tsx'
import { SearchField } from '../ui/search-field.tsx'
import { PublishAFolder } from './projects/publish-a-folder.tsx'
import { ProjectRow } from './projects/row.tsx'

// Publishing comes when something is dropped; the list is what most people see first.
const NewProjectDialog = lazy(async () => ({
  default: (await import('./projects/new-project-dialog.tsx')).NewProjectDialog,
}))

/** Fewer are found at a glance. */
const worthSearching = 7

export function ProjectsPage() {
  const { chosen, choose } = useAddressFilter()
  const search = chosen('search')?.trim() ?? ''
  const list = useProjects(search)
  const { account } = useSignedIn()
  const mayPublish = useMay('deploy')
  const [source, setSource] = useState<Source | null>(null)
  const dragging = useDrop(mayPublish, setSource)
  return (
    <Page
      title="Projects"
      aside={
        mayPublish && (
          <Link to={paths.newProject(account.id)} className={buttonClass('primary')}>
            New project
          </Link>
        )
      }
    >
      {dragging && <DropHint>Drop it to publish it as a new project</DropHint>}
      {source !== null && (
        <Suspense>
          <NewProjectDialog source={source} onClose={() => setSource(null)} />
        </Suspense>
      )}
      <Loaded query={list}>
        {(projects) => (
          <>
            {(projects.length > worthSearching || search !== '') && (
              <SearchField
                label="Filter projects"
                placeholder="Filter by name or address"
                value={search}
                onSearch={(text) => choose('search', text)}
              />
            )}
            {projects.length === 0 && search !== '' && (
              <Empty title="No project matches">
                <p>No name or address contains “{search}”.</p>
              </Empty>
            )}
            {projects.length > 0 && (
              <RuledList label="Projects">
                {projects.map((project) => (
                  <ProjectRow key={project.id} project={project} />
                ))}
              </RuledList>
            )}
            <ShowMore list={list} />
            <PublishAFolder
              first={projects.length === 0 && search === ''}
              allowed={mayPublish}
              onSource={setSource}
            />
          </>
        )}
      </Loaded>
    </Page>
  )
}
