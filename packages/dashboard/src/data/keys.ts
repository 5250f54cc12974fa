import type { Key, NewTrustedPublisher, TrustedPublisher } from '@masthead/contract/schemas/key.ts'
import type { Scope } from '@masthead/contract/scopes.ts'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useClient } from '../api/use-client.ts'
import { usePaged } from './paged.ts'

export const keysKey = ['keys'] as const

export function useKeys() {
  const client = useClient()
  return usePaged<Key>(keysKey, (query) => client.listKeys({ query }))
}

interface NewKey {
  name: string
  scopes: Scope[]
  expiresAt: string | null
  project: string | null
}

export function useCreateKey() {
  const client = useClient()
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (body: NewKey) => client.createKey({ body }),
    onSuccess: () => void queries.invalidateQueries({ queryKey: keysKey }),
    // The response contains the secret: don't keep it in the cache.
    gcTime: 0,
  })
}

export function useRevokeKey() {
  const client = useClient()
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (key: Key['id']) => client.revokeKey({ params: { key } }),
    onSuccess: () => queries.invalidateQueries({ queryKey: keysKey }),
  })
}

export const publishersKey = ['trusted publishers'] as const

export function useTrustedPublishers() {
  const client = useClient()
  return usePaged<TrustedPublisher>(publishersKey, (query) => client.listTrustedPublishers({ query }))
}

export function useAddTrustedPublisher() {
  const client = useClient()
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (body: NewTrustedPublisher) => client.addTrustedPublisher({ body }),
    onSuccess: () => queries.invalidateQueries({ queryKey: publishersKey }),
  })
}

export function useRemoveTrustedPublisher() {
  const client = useClient()
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (publisher: TrustedPublisher['id']) =>
      client.removeTrustedPublisher({ params: { publisher } }),
    onSuccess: () =>
      Promise.all([publishersKey, keysKey].map((queryKey) => queries.invalidateQueries({ queryKey }))),
  })
}
