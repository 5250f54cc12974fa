import type { Project } from '@masthead/contract/schemas/project.ts'
import { createContext, Suspense, useContext } from 'react'
import { Navigate, Outlet, useLocation, useParams } from 'react-router'
import { isProblem } from '../api.ts'
import { useAccountOfProject, useProjectNamed } from '../data/projects.ts'
import { Loaded } from '../loaded.tsx'
import { NotFoundPage } from '../pages/not-found.tsx'
import { paths } from '../paths.ts'
import { Page, TitleContext } from '../ui/page.tsx'
import { Tabs } from '../ui/tabs.tsx'
import { AccountScope } from './account-scope.tsx'
import { AppHeader } from './app-header.tsx'
import { FrontPage } from './front-page.tsx'
import { TakedownNotice } from './takedown-notice.tsx'
import { PageWaiting, Waiting } from './waiting.tsx'

const ProjectContext = createContext<Project | null>(null)

/** Around the pages of a project, which are of the account that the project belongs to. */
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
    <FrontPage title="The project cannot be shown">
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
      <AppHeader place={query.data?.name ?? slug} />
      <Tabs label="Project" tabs={tabs} />
      {query.data === undefined ? (
        <Page title={slug}>
          <Loaded query={query}>{() => null}</Loaded>
        </Page>
      ) : (
        <ProjectContext value={query.data}>
          {query.data.takedown !== null && <TakedownNotice takedown={query.data.takedown} />}
          <TitleContext value={query.data.name}>
            <Suspense fallback={<PageWaiting />}>
              <Outlet />
            </Suspense>
          </TitleContext>
        </ProjectContext>
      )}
    </>
  )
}

/** The project that the page is about. */
export function useProject(): Project {
  const project = useContext(ProjectContext)
  if (project === null) throw new Error('This page is not inside <ProjectFrame>')
  return project
}
