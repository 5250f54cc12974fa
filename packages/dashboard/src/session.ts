import type { Session } from '@masthead/contract/schemas/people.ts'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { client, isProblem } from './api.ts'
import { paths } from './paths.ts'

export const sessionKey = ['session'] as const

/** The session of a person who belongs to an account. */
export type MemberSession = Session & {
  account: NonNullable<Session['account']>
  role: NonNullable<Session['role']>
}

export function isMemberSession(session: Session): session is MemberSession {
  return session.account !== null && session.role !== null
}

/** The session, or null for somebody who is signed out. */
export function useSession() {
  return useQuery({ queryKey: sessionKey, queryFn: readSession, staleTime: 60_000 })
}

async function readSession(): Promise<Session | null> {
  try {
    return await client.getSession()
  } catch (error) {
    if (isProblem(error, 'unauthenticated')) return null
    throw error
  }
}

/** What was read for somebody else is forgotten before the new session is taken up. */
export function useTakeSession() {
  const queries = useQueryClient()
  return (session: Session) => {
    queries.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== sessionKey[0] })
    queries.setQueryData(sessionKey, session)
  }
}

/** Leaves by loading the page anew, so that nothing of the account stays in memory. */
export async function signOut(then = paths.signIn()) {
  await client.signOut()
  leaveTo(then)
}

export async function switchAccount(accountId: MemberSession['account']['id']) {
  await client.switchAccount({ body: { accountId } })
  leaveTo(paths.projects())
}

function leaveTo(path: string) {
  // The same path with another fragment would not load anything.
  if (new URL(path, location.origin).pathname === location.pathname) location.reload()
  else location.assign(path)
}
