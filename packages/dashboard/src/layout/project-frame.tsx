import type { Project, Takedown } from '@masthead/contract/schemas/project.ts'
import { createContext, useContext } from 'react'
import { Navigate, useLocation, useParams } from 'react-router'
import { isProblem } from '../api/client.ts'
import { useAccountOfProject, useProjectNamed } from '../data/projects.ts'
import { Loaded } from '../loaded.tsx'
import { paths } from '../paths.ts'
import { SideTabs, Tabs } from '../ui/navigation.tsx'
import { Notice } from '../ui/notices.tsx'
import { Page, TitleContext } from '../ui/page.tsx'
import { Time } from '../ui/time.tsx'
import { AccountScope } from './account-scope.tsx'
import { AppHeader } from './app-header.tsx'
import { FrontPage, NotFoundPage, Waiting } from './front-page.tsx'
import { FramedOutlet } from './part-boundary.tsx'

const ProjectContext = createContext<Project | null>(null)

/** Finds the account of the project first, then shows the project's pages inside it. */
export function ProjectFrame() {
  const { project: slug = '' } = useParams()
  const query = useAccountOfProject(slug)
  if (query.data !== undefined) {
    return (
      <AccountScope account={query.data}>
        <ProjectInAccount slug={slug} />
      </AccountScope>
    )
  }
  if (isProblem(query.error, 'not_found')) return <NotFoundPage />
  if (query.error === null) return <Waiting />
  return (
    <FrontPage title="The project could not be loaded">
      <Loaded query={query}>{() => null}</Loaded>
    </FrontPage>
  )
}

function ProjectInAccount({ slug }: { slug: string }) {
  const { pathname, search } = useLocation()
  const query = useProjectNamed(slug)
  const renamed = query.data !== undefined && query.data.slug !== slug
  if (renamed) {
    const rest = pathname.slice(paths.project(slug).length)
    return <Navigate to={paths.project(query.data.slug) + rest + search} replace />
  }
  if (isProblem(query.error, 'not_found')) return <NotFoundPage />
  const tabs = [
    { to: paths.project(slug), label: 'Overview', exact: true },
    { to: paths.deployments(slug), label: 'Deployments' },
    { to: paths.projectActivity(slug), label: 'Activity' },
    { to: paths.settings(slug), label: 'Settings' },
  ]
  return (
    <>
      <AppHeader title={query.data?.name ?? slug} />
      <Tabs label="Project" tabs={tabs} />
      {query.data === undefined ? (
        <Page title={slug}>
          <Loaded query={query}>{() => null}</Loaded>
        </Page>
      ) : (
        <ProjectContext value={query.data}>
          {query.data.takedown !== null && <TakedownNotice takedown={query.data.takedown} />}
          <TitleContext value={query.data.name}>
            <FramedOutlet />
          </TitleContext>
        </ProjectContext>
      )}
    </>
  )
}

export function useProject(): Project {
  const project = useContext(ProjectContext)
  if (project === null) throw new Error('useProject needs a <ProjectFrame> around it')
  return project
}

export function SettingsFrame() {
  const { slug } = useProject()
  const tabs = [
    { to: paths.settings(slug), label: 'General', exact: true },
    { to: paths.domains(slug), label: 'Domains' },
    { to: paths.serving(slug), label: 'Serving' },
    { to: paths.protection(slug), label: 'Protection' },
    { to: paths.dangerZone(slug), label: 'Danger zone' },
  ]
  return (
    <div className="mx-auto grid w-full max-w-[1112px] grid-cols-[minmax(0,1fr)] md:grid-cols-[200px_minmax(0,1fr)]">
      <div className="px-4 pt-6 sm:px-7 md:pt-14 md:pr-0">
        <SideTabs label="Settings" tabs={tabs} />
      </div>
      <FramedOutlet />
    </div>
  )
}

/** Shown on every page of a project that the operator took down. */
function TakedownNotice({ takedown: { reason, status, since } }: { takedown: Takedown }) {
  return (
    <div className="mx-auto w-full max-w-[896px] px-4 pt-6 sm:px-7">
      <Notice tone="stopped" title="The operator took this site down.">
        Since <Time at={since} />, visitors get a {status} error with this reason: “<bdi>{reason}</bdi>” You
        can still publish, but the site stays offline until the operator restores it.
      </Notice>
    </div>
  )
}
