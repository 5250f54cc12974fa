import type { NewProject, Project } from '@masthead/contract/schemas/project.ts'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { client, isProblem } from '../api.ts'
import { usePaged } from './paged.ts'

export const projectsKey = ['projects'] as const
export const projectKey = (slug: string) => ['project', slug] as const

export function useProjects() {
  return usePaged<Project>(projectsKey, (query) => client.listProjects({ query }))
}

/** By its slug or its id. One that somebody renamed meanwhile is found under its new slug. */
export function useProjectNamed(named: string) {
  const queries = useQueryClient()
  const get = (project: string) => client.getProject({ params: { project } })
  return useQuery({
    queryKey: projectKey(named),
    queryFn: () =>
      get(named).catch((error: unknown) => {
        const known = queries.getQueryData<Project>(projectKey(named))
        if (known === undefined || !isProblem(error, 'not_found')) throw error
        return get(known.id)
      }),
  })
}

export function useCreateProject() {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (body: Pick<NewProject, 'slug' | 'name'>) => client.createProject({ body }),
    onSuccess: (project) => {
      queries.setQueryData(projectKey(project.slug), project)
      void queries.invalidateQueries({ queryKey: projectsKey })
    },
  })
}
