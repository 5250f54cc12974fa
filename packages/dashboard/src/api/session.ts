import type { Session } from '@masthead/contract/schemas/people.ts'
import { useQuery } from '@tanstack/react-query'
import { paths } from '../paths.ts'
import { client, isProblem } from './client.ts'
import { clearCaches, personQueries, refetchAll, sessionKey } from './queries.ts'

/** A signed-in person in one of their accounts: the one that a page is of. */
export interface MemberSession extends Omit<Session, 'account' | 'role'> {
  account: Session['accounts'][number]
  role: Session['accounts'][number]['role']
}

/** The session, or null for somebody who is signed out. */
export function useSession() {
  return useQuery({ queryKey: sessionKey, queryFn: readSession, staleTime: 60_000 }, personQueries)
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
export function startSession(session: Session): void {
  clearCaches()
  personQueries.setQueryData(sessionKey, session)
}

/** The same person is back: everything is read again, and nothing that is shown is lost. */
export function resumeSession(session: Session): void {
  personQueries.setQueryData(sessionKey, session)
  refetchAll()
}

/** Leaves by loading the page anew, so that nothing of the account stays in memory. */
export async function signOut(then = paths.signIn()) {
  await client.signOut()
  leaveTo(then)
}

function leaveTo(path: string) {
  // The same path with another fragment would not load anything.
  if (new URL(path, location.origin).pathname === location.pathname) location.reload()
  else location.assign(path)
}

/** What this server is and how people join it. */
export function useServer() {
  return useQuery(
    { queryKey: ['server'], queryFn: () => client.getServer(), staleTime: 10_000 },
    personQueries,
  )
}
