import type { Client } from '@masthead/client/client.ts'
import type { Domain } from '@masthead/contract/schemas/domain.ts'
import { useQuery } from '@tanstack/react-query'
import { useClient } from '../layout/account-scope.tsx'
import { domainsKey } from './domains.ts'

const perPage = 100
/** As many redirects as a project can have; who has more domains types nothing by choosing from a list. */
const mostPages = 10

/** Every domain of a project, for choosing among them, where the list on the page holds only the first of them. */
export function useEveryDomain(slug: string, enabled: boolean) {
  const client = useClient()
  return useQuery({
    queryKey: [...domainsKey(slug), 'every'],
    queryFn: () => everyDomain(client, slug),
    enabled,
  })
}

async function everyDomain(client: Client, project: string): Promise<Domain[]> {
  const all: Domain[] = []
  let cursor: string | undefined
  for (let page = 0; page < mostPages; page++) {
    const { items, next } = await client.listDomains({ params: { project }, query: { limit: perPage, cursor } })
    all.push(...items)
    if (next === null) break
    cursor = next
  }
  return all
}
