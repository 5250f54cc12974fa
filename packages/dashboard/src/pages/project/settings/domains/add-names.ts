import type { Client } from '@masthead/client/client.ts'
import type { Domain } from '@masthead/contract/schemas/domain.ts'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { domainConfigKey, domainsKey } from '../../../../data/domains.ts'
import { useClient } from '../../../../layout/account-scope.tsx'
import { withRedirect } from './config-change.ts'

export interface NamesToAdd {
  /** As typed. */
  hostname: string
  /** Take it over from another project of the account. */
  move: boolean
  /** Its twin, where it is to be added with it. */
  twin: string | null
  redirect: { from: string; to: string } | null
}

export interface AddedNames {
  domain: Domain
  twin: Domain | null
  /** What could not be done once the first name was added. */
  trouble: { about: 'twin' | 'redirect'; error: unknown } | null
}

/** The first name is added or refused as a whole; what fails after it is told and takes nothing back. */
async function addNames(client: Client, project: string, wish: NamesToAdd): Promise<AddedNames> {
  const params = { project }
  const domain = await client.addDomain({ params, body: { hostname: wish.hostname, move: wish.move } })
  let twin: Domain | null = null
  try {
    if (wish.twin !== null) twin = await client.addDomain({ params, body: { hostname: wish.twin } })
  } catch (error) {
    return { domain, twin, trouble: { about: 'twin', error } }
  }
  try {
    if (wish.redirect !== null) {
      const { domains, etag } = await client.getDomainConfig({ params })
      const redirect = { ...wish.redirect, status: 301 } as const
      const body = { domains: withRedirect(domains, redirect) }
      await client.putDomainConfig({ params, body, ifMatch: etag })
    }
  } catch (error) {
    return { domain, twin, trouble: { about: 'redirect', error } }
  }
  return { domain, twin, trouble: null }
}

export function useAddNames(slug: string) {
  const client = useClient()
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (wish: NamesToAdd) => addNames(client, slug, wish),
    onSuccess: async () => {
      await Promise.all([
        queries.invalidateQueries({ queryKey: domainsKey(slug) }),
        queries.invalidateQueries({ queryKey: domainConfigKey(slug) }),
      ])
    },
  })
}
