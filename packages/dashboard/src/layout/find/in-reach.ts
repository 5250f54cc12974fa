import type { Client } from '@masthead/client/client.ts'
import { eachLimited } from '@masthead/client/each-limited.ts'
import type { Project } from '@masthead/contract/schemas/project.ts'
import { useQuery } from '@tanstack/react-query'
import { isProblem } from '../../api.ts'
import { projectsKey } from '../../data/projects.ts'
import { useClient } from '../account-scope.tsx'
import type { FoundDomain } from './places.ts'

const perPage = 100
/** Beyond these, what is older is found on its own pages. */
const mostPages = 5
export const mostProjectsWithDomains = 40
const atOnce = 4

/** The newest projects; `more` where there are others. */
export function useProjectsInReach() {
  const client = useClient()
  return useQuery({
    queryKey: [...projectsKey, 'in reach'],
    queryFn: () => readProjects(client),
    staleTime: 30_000,
  })
}

async function readProjects(client: Client): Promise<{ projects: Project[]; more: boolean }> {
  const projects: Project[] = []
  let cursor: string | undefined
  for (let page = 0; page < mostPages; page++) {
    const { items, next } = await client.listProjects({ query: { limit: perPage, cursor } })
    projects.push(...items)
    if (next === null) return { projects, more: false }
    cursor = next
  }
  return { projects, more: true }
}

/** The API lists domains by project, so they are asked for a few projects at a time, and only once they are wanted. */
export function useDomainsInReach(projects: readonly Project[] | undefined, wanted: boolean) {
  const client = useClient()
  const within = projects?.slice(0, mostProjectsWithDomains) ?? []
  return useQuery({
    queryKey: ['domains in reach', within.map(({ id }) => id)],
    queryFn: ({ signal }) => readDomains(client, within, signal),
    enabled: wanted && within.length > 0,
    staleTime: 30_000,
  })
}

async function readDomains(
  client: Client,
  projects: readonly Project[],
  signal: AbortSignal,
): Promise<FoundDomain[]> {
  const found: FoundDomain[] = []
  await eachLimited(projects, atOnce, signal, async (project) => {
    found.push(...(await domainsOf(client, project)))
  })
  return found
}

async function domainsOf(client: Client, project: Project): Promise<FoundDomain[]> {
  try {
    const { items } = await client.listDomains({
      params: { project: project.id },
      query: { limit: perPage, cursor: undefined },
    })
    return items.map((domain) => ({ project, domain }))
  } catch (error) {
    // Deleted while the list was read.
    if (isProblem(error, 'not_found')) return []
    throw error
  }
}
