import type { Answer } from '@masthead/contract/routes.ts'
import type { Deployment } from '@masthead/contract/schemas/deployment.ts'
import type { Project } from '@masthead/contract/schemas/project.ts'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useClient } from '../api/use-client.ts'
import { problemWords } from '../problem-words.ts'
import { useToast } from '../ui/notices.tsx'
import { usePaged } from './paged.ts'
import { projectKey, projectsKey } from './projects.ts'

export const deploymentsKey = (slug: string) => ['deployments', slug] as const
export const deploymentKey = (slug: string, id: string) => ['deployment', slug, id] as const

export type DeploymentFile = Answer<'listFiles'>['items'][number]

export function useDeployments(slug: string) {
  const client = useClient()
  return usePaged<Deployment>(deploymentsKey(slug), (query) =>
    client.listDeployments({ params: { project: slug }, query }),
  )
}

export function useDeployment(slug: string, id: string) {
  const client = useClient()
  return useQuery({
    queryKey: deploymentKey(slug, id),
    queryFn: () =>
      client.getDeployment({ params: { project: slug, deployment: id as Deployment['id'] } }),
  })
}

export function useDeploymentFiles({ slug, id }: { slug: string; id: Deployment['id'] }) {
  const client = useClient()
  return usePaged<DeploymentFile>(
    [...deploymentKey(slug, id), 'files'],
    (query) => client.listFiles({ params: { project: slug, deployment: id }, query }),
    100,
  )
}

/**
 * Serves a deployment, says so and offers the way back. The way back holds the ids it needs and nothing of the page,
 * so that it works wherever one has gone since.
 */
export function useActivate({ id: project, slug, activeDeployment: before }: Project) {
  const client = useClient()
  const queries = useQueryClient()
  const say = useToast()

  async function serve(deployment: Deployment['id']): Promise<void> {
    await client.activateDeployment({ params: { project, deployment } })
    const stale = [projectKey(slug), projectsKey, deploymentsKey(slug), ['deployment', slug]]
    await Promise.all(stale.map((queryKey) => queries.invalidateQueries({ queryKey })))
  }

  async function undo(deployment: Deployment['id']): Promise<void> {
    try {
      await serve(deployment)
      say({ words: `${deployment} is live again.` })
    } catch (error) {
      const { what, fix } = problemWords(error)
      say({ words: `Not taken back. ${what} ${fix}` })
    }
  }

  return useMutation({
    mutationFn: async (id: Deployment['id']) => {
      // What was served until now: by the end of this the page knows it only as one of those before.
      const previous = before?.id
      await serve(id)
      const undoable = previous !== undefined && previous !== id
      say({
        words: `${id} is live.`,
        ...(undoable ? { action: { label: 'Undo', run: () => void undo(previous) } } : {}),
      })
    },
  })
}
