import { useParams } from 'react-router'
import { useServer } from '../../server.ts'
import { may, useSignedIn } from '../signed-in.tsx'
import { accountActions, addDomainTo, rollBack } from './actions.ts'
import type { FindEntry } from './entry.ts'
import { mostProjectsWithDomains, useDomainsInReach, useProjectsInReach } from './in-reach.ts'
import { accountPages, domainEntry, projectEntry, projectPages } from './places.ts'

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
  const reach = useProjectsInReach()
  const projects = reach.data?.projects ?? []
  const domains = useDomainsInReach(reach.data?.projects, asked)
  const ownRoot = useServer().data?.internalCa ?? false
  const current = projects.find(({ slug }) => slug === here)
  const others = projects.filter((project) => project !== current)
  const withDomains = may(session, 'domains') ? projects : []
  const nearest =
    current === undefined
      ? []
      : [
          ...(may(session, 'domains') ? [addDomainTo(current)] : []),
          ...(may(session, 'deploy') ? [rollBack(current)] : []),
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
        ...(may(session, 'deploy') ? others.map(rollBack) : []),
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
