import type { Client } from '@masthead/client/client.ts'
import { forEachConcurrent } from '@masthead/client/upload.ts'
import type { Project } from '@masthead/contract/schemas/project.ts'
import { useQuery } from '@tanstack/react-query'
import { useParams } from 'react-router'
import { isProblem } from '../../api/client.ts'
import { useServer } from '../../api/session.ts'
import { useClient } from '../../api/use-client.ts'
import { projectsKey } from '../../data/projects.ts'
import { hasScope, useSignedIn } from '../signed-in.tsx'
import { accountActions, addDomainTo, rollBack } from './actions.ts'
import {
  accountPages,
  domainEntry,
  type FindEntry,
  type FoundDomain,
  projectEntry,
  projectPages,
} from './entries.ts'

/** Without a question, only the newest projects are offered. */
const offered = 5

interface Findable {
  entries: FindEntry[]
  /** What is not looked through, in a sentence. */
  beyond: string | null
  isLooking: boolean
  error: unknown
}

/** Everything that can be found, what is nearest first. */
export function useEntries(asked: boolean): Findable {
  const session = useSignedIn()
  const { project: here } = useParams()
  const reach = useSearchableProjects()
  const projects = reach.data?.projects ?? []
  const domains = useSearchableDomains(reach.data?.projects, asked)
  const ownRoot = useServer().data?.internalCa ?? false
  const current = projects.find(({ slug }) => slug === here)
  const others = projects.filter((project) => project !== current)
  const withDomains = hasScope(session, 'domains') ? projects : []
  const nearest =
    current === undefined
      ? []
      : [
          ...(hasScope(session, 'domains') ? [addDomainTo(current)] : []),
          ...(hasScope(session, 'deploy') ? [rollBack(current)] : []),
        ]
  const entries = asked
    ? [
        ...projects.map(projectEntry),
        ...(domains.data ?? []).map(domainEntry),
        ...(current === undefined ? [] : projectPages(current)),
        ...accountPages(session),
        ...nearest,
        ...accountActions({ session, ownRoot }),
        ...withDomains.filter((project) => project !== current).map(addDomainTo),
        ...(hasScope(session, 'deploy') ? others.map(rollBack) : []),
      ]
    : [
        ...nearest,
        ...others.slice(0, offered).map(projectEntry),
        ...accountActions({ session, ownRoot }),
        ...accountPages(session),
      ]
  return {
    entries,
    beyond: beyondWords(projects.length, reach.data?.more ?? false),
    isLooking: reach.isPending || (asked && domains.isLoading),
    error: reach.error ?? domains.error,
  }
}

function beyondWords(projects: number, more: boolean): string | null {
  if (more) {
    return `Looks through the newest ${projects} projects, and the domains of ${mostProjectsWithDomains}.`
  }
  if (projects <= mostProjectsWithDomains) return null
  return `Looks through the domains of the newest ${mostProjectsWithDomains} projects.`
}

const perPage = 100
/** Beyond these, what is older is found on its own pages. */
const mostPages = 5
const mostProjectsWithDomains = 40
const atOnce = 4

/** The newest projects; `more` where there are others. */
function useSearchableProjects() {
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
function useSearchableDomains(projects: readonly Project[] | undefined, wanted: boolean) {
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
  await forEachConcurrent(projects, atOnce, signal, async (project) => {
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
