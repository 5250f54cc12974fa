import type { Id } from '@masthead/contract/schemas/fields.ts'
import type { Sends } from '@masthead/contract/routes.ts'
import type { CliLogin, PersonSession } from '@masthead/contract/schemas/people.ts'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { client } from '../api/client.ts'
import { personQueries, sessionKey } from '../api/queries.ts'
import { usePaged } from './paged.ts'

const personKey = ['person'] as const
const sessionsKey = [...personKey, 'sessions'] as const
const cliLoginsKey = [...personKey, 'keys'] as const

export function usePerson() {
  return useQuery({ queryKey: personKey, queryFn: () => client.getPerson() })
}

export function useChangePerson() {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (body: Sends<'changePerson', 'body'>) => client.changePerson({ body }),
    onSuccess: async (person) => {
      queries.setQueryData(personKey, person)
      await personQueries.invalidateQueries({ queryKey: sessionKey })
    },
  })
}

export function useChangePassword() {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (body: Sends<'changePassword', 'body'>) => client.changePassword({ body }),
    onSuccess: () => queries.invalidateQueries({ queryKey: sessionsKey }),
    gcTime: 0,
  })
}

export function usePersonSessions() {
  return usePaged<PersonSession>(sessionsKey, (query) => client.listSessions({ query }))
}

export function useEndSession() {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (session: PersonSession['id']) => client.endSession({ params: { session } }),
    onSuccess: () => queries.invalidateQueries({ queryKey: sessionsKey }),
  })
}

export function useEndOtherSessions() {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: () => client.endOtherSessions(),
    onSuccess: () => queries.invalidateQueries({ queryKey: sessionsKey }),
  })
}

export function useCliLogins() {
  return usePaged<CliLogin>(cliLoginsKey, (query) => client.listCliLogins({ query }))
}

export function useRevokeCliLogin() {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (key: CliLogin['id']) => client.revokeCliLogin({ params: { key } }),
    onSuccess: () => queries.invalidateQueries({ queryKey: cliLoginsKey }),
  })
}

export function useLeaveAccount() {
  return useMutation({
    mutationFn: (account: Id<'account'>) => client.leaveAccount({ params: { account } }),
  })
}
