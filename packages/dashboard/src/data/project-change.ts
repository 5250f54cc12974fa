import type { Project, ProjectChange } from '@masthead/contract/schemas/project.ts'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { client } from '../api.ts'
import { projectKey, projectsKey } from './projects.ts'

/** By id, which stays the same when the slug changes. */
export function useChangeProject({ id }: Project) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (body: ProjectChange) => client.changeProject({ params: { project: id }, body }),
    onSuccess: (changed) => {
      queries.setQueryData(projectKey(changed.slug), changed)
      void queries.invalidateQueries({ queryKey: projectsKey })
    },
  })
}

export function useDeleteProject({ id }: Project) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: () => client.deleteProject({ params: { project: id } }),
    onSuccess: () => queries.invalidateQueries({ queryKey: projectsKey }),
  })
}
