import type { Proof } from '@masthead/contract/schemas/domains/proof.ts'
import type { ProxyProvider } from '@masthead/contract/domains/proxy-providers.ts'
import type { Domain, TimelineEntry } from '@masthead/contract/schemas/domains/domain.ts'
import { type InfiniteData, type QueryClient, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useClient } from '../api/use-client.ts'
import { usePaged } from './paged.ts'
import type { Client } from '@masthead/client/client.ts'

export const domainsKey = (slug: string) => ['domains', slug] as const
export const domainKey = (slug: string, hostname: string) => ['domain', slug, hostname] as const
export const domainConfigKey = (slug: string) => ['domain-config', slug] as const
const timelineKey = (slug: string, hostname: string) => ['timeline', slug, hostname] as const

type Pages = InfiniteData<{ items: Domain[]; next: string | null }>

export function useDomains(slug: string) {
  const client = useClient()
  return usePaged<Domain>(domainsKey(slug), (query) =>
    client.listDomains({ params: { project: slug }, query }),
  )
}

export function useDomain(slug: string, hostname: string) {
  const client = useClient()
  return useQuery({
    queryKey: domainKey(slug, hostname),
    queryFn: () => client.getDomain({ params: { project: slug, hostname } }),
  })
}

export function useDomainConfig(slug: string) {
  const client = useClient()
  return useQuery({
    queryKey: domainConfigKey(slug),
    queryFn: () => client.getDomainConfig({ params: { project: slug } }),
  })
}

export function useTimeline(slug: string, hostname: string) {
  const client = useClient()
  return usePaged<TimelineEntry>(timelineKey(slug, hostname), (query) =>
    client.listTimeline({ params: { project: slug, hostname }, query }),
  )
}

export function useVerify(slug: string, hostname: string) {
  const client = useClient()
  const queries = useQueryClient()
  return useMutation({
    mutationFn: () => client.verifyDomain({ params: { project: slug, hostname } }),
    onSuccess: (domain) => cacheDomain(queries, slug, domain),
  })
}

/** Checks DNS now and requests a new certificate. */
export function useReverify(slug: string, hostname: string) {
  const client = useClient()
  const queries = useQueryClient()
  return useMutation({
    mutationFn: () => client.reverifyDomain({ params: { project: slug, hostname } }),
    onSuccess: (domain) => cacheDomain(queries, slug, domain),
  })
}

export function useUploadCertificate(slug: string, hostname: string) {
  const client = useClient()
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (body: { chain: string; key: string }) =>
      client.uploadCertificate({ params: { project: slug, hostname }, body }),
    onSuccess: (domain) => cacheDomain(queries, slug, domain),
  })
}

/** Lets Masthead take over the certificate. */
export function useHandOverCertificate(slug: string, hostname: string) {
  const client = useClient()
  const queries = useQueryClient()
  return useMutation({
    mutationFn: () => client.handOverCertificate({ params: { project: slug, hostname } }),
    onSuccess: (domain) => cacheDomain(queries, slug, domain),
  })
}

/** The branch that it shows, or the proxy that it is behind. */
export function useChangeDomain(slug: string, hostname: string) {
  const client = useClient()
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (body: { branch?: string | null; proxied?: ProxyProvider | null }) =>
      client.changeDomain({ params: { project: slug, hostname }, body }),
    onSuccess: (domain) => cacheDomain(queries, slug, domain),
  })
}

/** Updates a domain in the list and on its own page. */
export function cacheDomain(queries: QueryClient, slug: string, domain: Domain): void {
  queries.setQueryData(domainKey(slug, domain.hostname), domain)
  queries.setQueryData<Pages>(domainsKey(slug), (data) => data && withDomain(data, domain))
  void queries.invalidateQueries({ queryKey: timelineKey(slug, domain.hostname) })
}

function withDomain(data: Pages, domain: Domain): Pages {
  const replaced = (each: Domain) => (each.hostname === domain.hostname ? domain : each)
  return { ...data, pages: data.pages.map((page) => ({ ...page, items: page.items.map(replaced) })) }
}

const perPage = 100
/** Enough for every redirect a project can have; nobody picks from a longer list. */
const maxPages = 10

/** Every domain of a project, where the paged list holds only the first ones. */
export function useAllDomains(slug: string, enabled: boolean) {
  const client = useClient()
  return useQuery({
    queryKey: [...domainsKey(slug), 'all'],
    queryFn: () => allDomains(client, slug),
    enabled,
  })
}

async function allDomains(client: Client, project: string): Promise<Domain[]> {
  const all: Domain[] = []
  let cursor: string | undefined
  for (let page = 0; page < maxPages; page++) {
    const { items, next } = await client.listDomains({ params: { project }, query: { limit: perPage, cursor } })
    all.push(...items)
    if (next === null) break
    cursor = next
  }
  return all
}

const proofsKey = ['proofs'] as const

export function useProofs() {
  const client = useClient()
  return usePaged<Proof>(proofsKey, (query) => client.listProofs({ query }))
}

/** Each changes the list. */
export function useProofActions() {
  const client = useClient()
  const queries = useQueryClient()
  const onSuccess = () => queries.invalidateQueries({ queryKey: proofsKey })
  return {
    start: useMutation({
      mutationFn: (domain: string) => client.startProof({ body: { domain } }),
      onSuccess,
    }),
    verify: useMutation({
      mutationFn: (domain: string) => client.verifyProof({ params: { domain } }),
      onSuccess,
    }),
    remove: useMutation({
      mutationFn: (domain: string) => client.removeProof({ params: { domain } }),
      onSuccess,
    }),
  }
}
