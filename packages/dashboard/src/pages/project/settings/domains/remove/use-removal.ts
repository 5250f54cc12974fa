import type { Domain, RemovedDomain } from '@masthead/contract/schemas/domains/domain.ts'
import { type InfiniteData, type QueryClient, useMutation, useQueryClient } from '@tanstack/react-query'
import { useClient } from '../../../../../api/use-client.ts'
import { domainConfigKey, domainKey, domainsKey } from '../../../../../data/domains.ts'
import { useToast } from '../../../../../ui/notices.tsx'
import type { DomainsConfig } from '../config/config.ts'
import { undoRemoval } from './undo-removal.ts'

type Pages = InfiniteData<{ items: Domain[]; next: string | null }>

export interface Removal {
  domain: Domain
  warnings: RemovedDomain['warnings']
  /** The configuration before the removal. */
  before: DomainsConfig
}

export const removalKey = (slug: string) => ['remove-domain', slug] as const

/** Removes a domain optimistically: it disappears right away and comes back if that fails. */
export function useRemoval(slug: string) {
  const client = useClient()
  const queries = useQueryClient()
  const say = useToast()
  const params = { project: slug }

  async function remove(domain: Domain): Promise<Removal> {
    const { hostname } = domain
    const before = await client.getDomainConfig({ params })
    const { warnings } = await client.removeDomain({ params: { ...params, hostname } })
    return { domain, warnings, before: before.domains }
  }

  async function undo(domain: Domain, before: DomainsConfig, left: DomainsConfig) {
    say({ words: await undoRemoval(client, { project: slug, domain, before, left }) })
    await refresh()
  }

  async function refresh() {
    await Promise.all([
      queries.invalidateQueries({ queryKey: domainsKey(slug) }),
      queries.invalidateQueries({ queryKey: domainConfigKey(slug) }),
    ])
  }

  return useMutation({
    mutationKey: removalKey(slug),
    mutationFn: remove,
    onMutate: async (domain) => {
      await queries.cancelQueries({ queryKey: domainsKey(slug) })
      removeFromCache(queries, slug, domain)
    },
    onSuccess: async ({ before }, domain) => {
      queries.removeQueries({ queryKey: domainKey(slug, domain.hostname) })
      // Without it nobody knows what to restore. The removal itself has succeeded.
      const left = await queries
        .fetchQuery({
          queryKey: domainConfigKey(slug),
          queryFn: () => client.getDomainConfig({ params }),
          staleTime: 0,
        })
        .catch(() => null)
      const words = `${domain.unicode} was removed.`
      const of = domain.hostname
      if (left === null) say({ words, of })
      else say({ words, undo: { of, run: () => void undo(domain, before, left.domains) } })
    },
    onSettled: refresh,
  })
}

function removeFromCache(queries: QueryClient, slug: string, { hostname }: Domain): void {
  queries.setQueryData<Pages>(domainsKey(slug), (data) => {
    if (data === undefined) return data
    const stays = (each: Domain) => each.hostname !== hostname
    return { ...data, pages: data.pages.map((page) => ({ ...page, items: page.items.filter(stays) })) }
  })
}
