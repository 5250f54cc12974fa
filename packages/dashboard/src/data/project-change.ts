import type { Project, ProjectChange } from '@masthead/contract/schemas/project.ts'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useClient } from '../layout/account-scope.tsx'
import { projectsKey, takeProject } from './projects.ts'

/** By id, which stays the same when the slug changes. */
export function useChangeProject({ id }: Project) {
  const client = useClient()
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (body: ProjectChange) => client.changeProject({ params: { project: id }, body }),
    onSuccess: (changed) => takeProject(queries, changed),
  })
}

export function useDeleteProject({ id }: Project) {
  const client = useClient()
  const queries = useQueryClient()
  return useMutation({
    mutationFn: () => client.deleteProject({ params: { project: id } }),
    onSuccess: () => queries.invalidateQueries({ queryKey: projectsKey }),
  })
}
