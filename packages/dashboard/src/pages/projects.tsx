import { type Role, roles } from '@masthead/contract/scopes.ts'
import { useInfiniteQuery } from '@tanstack/react-query'
import { client } from '../api.ts'
import { AppHeader } from '../layout/app-header.tsx'
import { SignedIn } from '../layout/signed-in.tsx'
import { ProblemNotice } from '../problem-notice.tsx'
import { Button } from '../ui/button.tsx'
import { Page } from '../ui/page.tsx'
import { RuledList } from '../ui/rule.tsx'
import { SkeletonRows } from '../ui/skeleton.tsx'
import { PublishAFolder } from './projects/publish-a-folder.tsx'
import { ProjectRow } from './projects/row.tsx'

export function ProjectsPage() {
  return (
    <SignedIn>
      {(session) => (
        <>
          <AppHeader session={session} />
          <Page title="Projects">
            <Projects role={session.role} />
          </Page>
        </>
      )}
    </SignedIn>
  )
}

function Projects({ role }: { role: Role }) {
  // Asked again by itself: what is published from a terminal shows up while somebody looks.
  const list = useInfiniteQuery({
    queryKey: ['projects'],
    queryFn: ({ pageParam }) => client.listProjects({ query: { limit: 50, cursor: pageParam } }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.next ?? undefined,
    refetchInterval: 5_000,
  })
  const mayPublish = roles[role].scopes.some((scope) => scope === 'deploy')

  if (list.data === undefined) {
    if (list.error === null) return <SkeletonRows rows={3} />
    return (
      <ProblemNotice error={list.error}>
        <Button pending={list.isFetching && 'Trying again…'} onClick={() => list.refetch()}>
          Try again
        </Button>
      </ProblemNotice>
    )
  }

  const projects = list.data.pages.flatMap((page) => page.items)
  return (
    <>
      {list.error !== null && (
        <div className="mb-6">
          <ProblemNotice error={list.error} />
        </div>
      )}
      {projects.length > 0 && (
        <RuledList label="Projects">
          {projects.map((project) => (
            <ProjectRow key={project.id} project={project} />
          ))}
        </RuledList>
      )}
      {list.hasNextPage && (
        <Button
          className="mt-4"
          pending={list.isFetchingNextPage && 'Loading…'}
          onClick={() => list.fetchNextPage()}
        >
          Show more
        </Button>
      )}
      <PublishAFolder first={projects.length === 0} allowed={mayPublish} />
    </>
  )
}
