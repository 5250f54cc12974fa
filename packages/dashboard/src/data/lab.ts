import type { Client } from '@masthead/client/client.ts'
import type { Domain } from '@masthead/contract/schemas/domains/domain.ts'
import type { LabRecord } from '@masthead/contract/schemas/lab.ts'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useClient } from '../api/use-client.ts'
import { labPlan } from './lab-plan.ts'
import { cacheDomain } from './domains.ts'

/** Sets the records that a domain needs in the lab's DNS, then verifies it. */
export function useSetInLab(slug: string) {
  const client = useClient()
  const queries = useQueryClient()
  return useMutation({
    mutationFn: async ({ hostname, records }: Pick<Domain, 'hostname' | 'records'>) => {
      const { remove, set } = labPlan(records, await allRecords(client))
      for (const params of remove) await client.removeLabRecord({ params })
      for (const { values, ...params } of set) await client.setLabRecord({ params, body: { values } })
      return client.verifyDomain({ params: { project: slug, hostname } })
    },
    onSuccess: (domain) => cacheDomain(queries, slug, domain),
  })
}

async function allRecords(client: Client): Promise<LabRecord[]> {
  const records: LabRecord[] = []
  let cursor: string | undefined
  do {
    const page = await client.listLabRecords({ query: { limit: 100, cursor } })
    records.push(...page.items)
    cursor = page.next ?? undefined
  } while (cursor !== undefined)
  return records
}
