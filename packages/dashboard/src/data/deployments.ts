import type { Answer } from '@masthead/contract/routes.ts'
import type { Deployment } from '@masthead/contract/schemas/deployment.ts'
import type { Project } from '@masthead/contract/schemas/project.ts'
import type { SiteRule } from '@masthead/contract/schemas/site-rule.ts'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useClient } from '../api/use-client.ts'
import { problemWords } from '../problem-words.ts'
import { useToast } from '../ui/notices.tsx'
import { usePaged } from './paged.ts'
import { projectKey, projectsKey } from './projects.ts'

export const deploymentsKey = (slug: string) => ['deployments', slug] as const
const deploymentKey = (slug: string, id: string) => ['deployment', slug, id] as const

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
    500,
  )
}

/** They never change, so a search that was made before is shown at once. */
export function useDeploymentRules({
  slug,
  id,
  contains,
}: {
  slug: string
  id: Deployment['id']
  contains: string
}) {
  const client = useClient()
  return usePaged<SiteRule>(
    [...deploymentKey(slug, id), 'rules', contains],
    (query) =>
      client.listRules({
        params: { project: slug, deployment: id },
        query: { ...query, ...(contains !== '' && { contains }) },
      }),
    50,
    { keepPrevious: true },
  )
}

/**
 * Makes a deployment live and offers Undo. Undo captures the ids it needs, so it still works after navigating to
 * another page.
 */
export function useActivate({ id: project, slug, activeDeployment: before }: Project) {
  const client = useClient()
  const queries = useQueryClient()
  const say = useToast()

  async function activate(deployment: Deployment['id'], replaces?: Deployment['id']): Promise<void> {
    await client.activateDeployment({ params: { project, deployment }, body: { replaces } })
    const stale = [projectKey(slug), projectsKey, deploymentsKey(slug), ['deployment', slug]]
    await Promise.all(stale.map((queryKey) => queries.invalidateQueries({ queryKey })))
  }

  async function undo(current: Deployment['id'], previous: Deployment['id']): Promise<void> {
    try {
      await activate(previous, current)
      say({ words: `${previous} is live again.` })
    } catch (error) {
      const { what, fix } = problemWords(error)
      say({ words: `Couldn't undo. ${what} ${fix}` })
    }
  }

  return useMutation({
    mutationFn: async (id: Deployment['id']) => {
      // Read it now: afterwards the page no longer knows which deployment was live.
      const previous = before?.id
      await activate(id)
      const undoable = previous !== undefined && previous !== id
      say({
        words: `${id} is live.`,
        ...(undoable ? { undo: { of: `what is live in ${slug}`, run: () => void undo(id, previous) } } : {}),
      })
    },
  })
}
