import type { Client } from '@masthead/client/client.ts'
import type { Invitation, Member } from '@masthead/contract/schemas/people.ts'
import type { Role } from '@masthead/contract/scopes.ts'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useClient } from '../api/use-client.ts'
import { personQueries, sessionKey } from '../api/queries.ts'
import { keysKey, publishersKey } from './keys.ts'
import { usePaged } from './paged.ts'
import { webhooksKey } from './webhooks.ts'

const membersKey = ['members'] as const
const invitationsKey = ['invitations'] as const

/** What can end with a membership or a role. */
const endingKeys = [invitationsKey, keysKey, publishersKey, webhooksKey]

/** The link is returned only on creation. */
export type InvitationWithLink = Awaited<ReturnType<Client['createInvitation']>>

export function useMembers() {
  const client = useClient()
  return usePaged<Member>(membersKey, (query) => client.listMembers({ query }))
}

export function useInvitations() {
  const client = useClient()
  return usePaged<Invitation>(invitationsKey, (query) => client.listInvitations({ query }))
}

export function useChangeRole(person: Member['person']['id']) {
  const client = useClient()
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (body: { role: Role; keys?: 'revoke' | 'keep' }) =>
      client.changeMember({ params: { person }, body }),
    // It may be your own role, which is part of the session.
    onSuccess: () =>
      Promise.all([
        ...[membersKey, ...endingKeys].map((queryKey) => queries.invalidateQueries({ queryKey })),
        personQueries.invalidateQueries({ queryKey: sessionKey }),
      ]),
  })
}

export function useRemoveMember() {
  const client = useClient()
  const queries = useQueryClient()
  return useMutation({
    mutationFn: ({ person, keys }: { person: Member['person']['id']; keys: 'revoke' | 'keep' }) =>
      client.removeMember({ params: { person }, query: { keys } }),
    onSuccess: () =>
      Promise.all(
        [membersKey, ...endingKeys].map((queryKey) => queries.invalidateQueries({ queryKey })),
      ),
  })
}

export function useInvite() {
  const client = useClient()
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (body: { email: string; role: Role }) => client.createInvitation({ body }),
    onSuccess: () => void queries.invalidateQueries({ queryKey: invitationsKey }),
    // The response contains the link: don't keep it in the cache.
    gcTime: 0,
  })
}

export function useRevokeInvitation() {
  const client = useClient()
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (invitation: Invitation['id']) => client.revokeInvitation({ params: { invitation } }),
    onSuccess: () => queries.invalidateQueries({ queryKey: invitationsKey }),
  })
}

export function useResetPassword() {
  const client = useClient()
  return useMutation({
    mutationFn: (person: Member['person']['id']) => client.createPasswordReset({ params: { person } }),
    // The response contains the link: don't keep it in the cache.
    gcTime: 0,
  })
}
