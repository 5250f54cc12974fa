import type { Project } from '@masthead/contract/schemas/project.ts'
import { formatBytes } from '@masthead/contract/text/byte-size.ts'
import { useState } from 'react'
import { Link } from 'react-router'
import { useProjects } from '../data/projects.ts'
import { lazyPart } from '../layout/lazy-part.tsx'
import { LazyDialog } from '../layout/part-boundary.tsx'
import { useHasScope, useSignedIn } from '../layout/signed-in.tsx'
import { Loaded, ShowMore } from '../loaded.tsx'
import { paths } from '../paths.ts'
import { DropHint, useDrop } from '../publish/drop.tsx'
import type { Source } from '../publish/read-site.ts'
import { filesWord, isRunning, stepFraction } from '../publish/upload-view.ts'
import { useUpload } from '../publish/uploads.ts'
import { SiteAddress } from '../site-address.tsx'
import { buttonClass } from '../ui/button.tsx'
import { SearchField } from '../ui/field.tsx'
import { Empty, Page } from '../ui/page.tsx'
import { Status } from '../ui/status.tsx'
import { RuledList } from '../ui/table.tsx'
import { Time } from '../ui/time.tsx'
import { useUrlFilter } from '../ui/url-state.ts'
import { PublishAFolder } from './projects/publish-a-folder.tsx'

// Loaded on drop: the list is what most people see first.
const { Part: NewProjectDialog } = lazyPart(
  async () => (await import('./projects/new-project-dialog.tsx')).NewProjectDialog,
)

/** A shorter list needs no filter. */
const maxWithoutFilter = 7

export function ProjectsPage() {
  const { chosen, choose } = useUrlFilter()
  const search = chosen('search')?.trim() ?? ''
  const list = useProjects(search)
  const { account } = useSignedIn()
  const mayPublish = useHasScope('deploy')
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
      {dragging && <DropHint>Drop to publish as a new project</DropHint>}
      {source !== null && (
        <LazyDialog onClose={() => setSource(null)}>
          <NewProjectDialog source={source} onClose={() => setSource(null)} />
        </LazyDialog>
      )}
      <Loaded query={list}>
        {(projects) => (
          <>
            {(projects.length > maxWithoutFilter || search !== '') && (
              <SearchField
                label="Filter projects"
                placeholder="Filter by name or address"
                value={search}
                onSearch={(text) => choose('search', text)}
              />
            )}
            {projects.length === 0 && search !== '' && (
              <Empty title="No matching projects">
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

function ProjectRow({ project }: { project: Project }) {
  const { name, slug, primaryUrl, activeDeployment: live } = project
  return (
    <li className="grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-6 gap-y-1 py-4.5">
      <h2
        className="line-clamp-2 font-sans text-name font-medium tracking-normal wrap-anywhere sm:line-clamp-1"
        dir="auto"
        title={name}
      >
        <Link to={paths.project(slug)} className="underline-offset-3 hover:underline">
          {name}
        </Link>
      </h2>
      <ProjectStatus project={project} />
      <SiteAddress url={primaryUrl} className="col-span-2 w-fit max-w-full sm:col-span-1" />
      <p className="col-span-2 text-small text-soft sm:col-span-1 sm:text-right">
        {live === null ? (
          <>
            Created <Time at={project.createdAt} />
          </>
        ) : (
          <>
            {filesWord(live.files)}, {formatBytes(live.bytes)} · published{' '}
            <Time at={live.activatedAt ?? live.createdAt} />
          </>
        )}
      </p>
    </li>
  )
}

function ProjectStatus({ project }: { project: Project }) {
  const upload = useUpload(project.id)
  if (upload !== null && isRunning(upload)) {
    return <Status tone="waiting">Publishing, {Math.floor(stepFraction(upload) * 100)} %</Status>
  }
  if (project.activeDeployment === null) return <Status tone="idle">Nothing published yet</Status>
  return <Status tone="live">Live</Status>
}
