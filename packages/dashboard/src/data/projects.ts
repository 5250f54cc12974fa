import type { Client } from '@masthead/client/client.ts'
import type { NewProject, Project, ProjectChange, ProtectionInput } from '@masthead/contract/schemas/project.ts'
import { type QueryClient, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { client, isProblem } from '../api/client.ts'
import { useClient } from '../api/use-client.ts'
import { personQueries, queriesOf } from '../api/queries.ts'
import { usePaged } from './paged.ts'

export const projectsKey = ['projects'] as const
export const projectKey = (slug: string) => ['project', slug] as const

const accountOfProjectKey = (named: string) => ['account of project', named] as const

/** Most recently changed first. */
export function useProjects(search = '') {
  const client = useClient()
  const wanted = search.trim() === '' ? {} : { search: search.trim() }
  return usePaged<Project>(
    [...projectsKey, wanted],
    async (query) => {
      const page = await client.listProjects({ query: { ...query, ...wanted, order: 'changed' } })
      for (const project of page.items) cacheAccountOfProject(project)
      return page
    },
    50,
    { keepPrevious: true },
  )
}

const perPage = 100
/** Older projects are found on the projects page. */
const maxPages = 5

/** All projects up to a limit, the newest first; `more` if there are others. */
export function useNewestProjects() {
  const client = useClient()
  return useQuery({
    queryKey: [...projectsKey, 'newest'],
    queryFn: () => newestProjects(client),
    staleTime: 30_000,
  })
}

async function newestProjects(client: Client): Promise<{ projects: Project[]; more: boolean }> {
  const projects: Project[] = []
  let cursor: string | undefined
  for (let page = 0; page < maxPages; page++) {
    const { items, next } = await client.listProjects({ query: { limit: perPage, cursor } })
    projects.push(...items)
    if (next === null) return { projects, more: false }
    cursor = next
  }
  return { projects, more: true }
}

/** The account of a project, whichever account was open before. Caches the project for its pages. */
export function useAccountOfProject(named: string) {
  const read = async () => {
    const project = await client.getProject({ params: { project: named } })
    const queries = queriesOf(project.accountId)
    queries.setQueryData<Project>(projectKey(named), (known) => known ?? project)
    return project.accountId
  }
  return useQuery({ queryKey: accountOfProjectKey(named), queryFn: read }, personQueries)
}

function cacheAccountOfProject({ slug, accountId }: Project): void {
  personQueries.setQueryData(accountOfProjectKey(slug), accountId)
}

function cacheProject(queries: QueryClient, project: Project): void {
  cacheAccountOfProject(project)
  queries.setQueryData(projectKey(project.slug), project)
  void queries.invalidateQueries({ queryKey: projectsKey })
}

/** By slug or id. A project that was renamed while its page was open is found by its id. */
export function useProjectNamed(named: string) {
  const client = useClient()
  const queries = useQueryClient()
  const get = (project: string) => client.getProject({ params: { project } })
  return useQuery({
    queryKey: projectKey(named),
    queryFn: () =>
      get(named).catch(async (error: unknown) => {
        const known = queries.getQueryData<Project>(projectKey(named))
        if (known === undefined || !isProblem(error, 'not_found')) throw error
        const renamed = await get(known.id)
        cacheAccountOfProject(renamed)
        return renamed
      }),
  })
}

export function useCreateProject() {
  const client = useClient()
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (body: Pick<NewProject, 'slug' | 'name'>) => client.createProject({ body }),
    onSuccess: (project) => cacheProject(queries, project),
  })
}

/** By id, because the slug may change. */
export function useChangeProject({ id }: Project) {
  const client = useClient()
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (body: ProjectChange) => client.changeProject({ params: { project: id }, body }),
    onSuccess: (changed) => cacheProject(queries, changed),
  })
}

/** Sets, removes and restores the password of a site. */
export function useProtection({ id }: Project) {
  const client = useClient()
  const queries = useQueryClient()
  const params = { project: id }
  const onSuccess = (changed: Project) => cacheProject(queries, changed)
  return {
    set: useMutation({
      mutationFn: (body: ProtectionInput) => client.setProtection({ params, body }),
      onSuccess,
    }),
    remove: useMutation({
      mutationFn: async () => {
        await client.removeProtection({ params })
        return client.getProject({ params })
      },
      onSuccess,
    }),
    restore: useMutation({ mutationFn: () => client.restoreProtection({ params }), onSuccess }),
  }
}

export function useDeleteProject({ id }: Project) {
  const client = useClient()
  const queries = useQueryClient()
  return useMutation({
    mutationFn: () => client.deleteProject({ params: { project: id } }),
    onSuccess: () => queries.invalidateQueries({ queryKey: projectsKey }),
  })
}
