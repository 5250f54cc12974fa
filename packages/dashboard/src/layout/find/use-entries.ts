import type { Client } from '@masthead/client/client.ts'
import { forEachConcurrent } from '@masthead/client/upload.ts'
import type { Project } from '@masthead/contract/schemas/project.ts'
import { useQuery } from '@tanstack/react-query'
import { useParams } from 'react-router'
import { isProblem } from '../../api/client.ts'
import { useServer } from '../../api/session.ts'
import { useClient } from '../../api/use-client.ts'
import { useNewestProjects } from '../../data/projects.ts'
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

/** How many projects to offer before anything is typed. */
const maxSuggested = 5

interface Findable {
  entries: FindEntry[]
  /** A sentence about the limits of the search, if they apply. */
  limitsText: string | null
  isLooking: boolean
  error: unknown
}

/** All entries, those of the current project first. */
export function useEntries(isSearching: boolean): Findable {
  const session = useSignedIn()
  const { project: here } = useParams()
  const searchable = useNewestProjects()
  const projects = searchable.data?.projects ?? []
  const domains = useSearchableDomains(searchable.data?.projects, isSearching)
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
  const entries = isSearching
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
        ...others.slice(0, maxSuggested).map(projectEntry),
        ...accountActions({ session, ownRoot }),
        ...accountPages(session),
      ]
  return {
    entries,
    limitsText: limitsWords(projects.length, searchable.data?.more ?? false),
    isLooking: searchable.isPending || (isSearching && domains.isLoading),
    error: searchable.error ?? domains.error,
  }
}

function limitsWords(projects: number, more: boolean): string | null {
  if (more) {
    return `Searches the newest ${projects} projects and the domains of the newest ${maxProjectsWithDomains}.`
  }
  if (projects <= maxProjectsWithDomains) return null
  return `Searches the domains of the newest ${maxProjectsWithDomains} projects.`
}

const domainsPerProject = 100
const maxProjectsWithDomains = 40
const concurrency = 4

/** The API lists domains per project, so they are fetched a few projects at a time and only when needed. */
function useSearchableDomains(projects: readonly Project[] | undefined, wanted: boolean) {
  const client = useClient()
  const within = projects?.slice(0, maxProjectsWithDomains) ?? []
  return useQuery({
    queryKey: ['searchable domains', within.map(({ id }) => id)],
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
  await forEachConcurrent(projects, concurrency, signal, async (project) => {
    found.push(...(await domainsOf(client, project)))
  })
  return found
}

async function domainsOf(client: Client, project: Project): Promise<FoundDomain[]> {
  try {
    const { items } = await client.listDomains({
      params: { project: project.id },
      query: { limit: domainsPerProject, cursor: undefined },
    })
    return items.map((domain) => ({ project, domain }))
  } catch (error) {
    // The project was deleted meanwhile.
    if (isProblem(error, 'not_found')) return []
    throw error
  }
}
