import type { Session } from '@masthead/contract/schemas/people.ts'
import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { paths } from '../paths.ts'
import { client, isProblem } from './client.ts'
import { clearCaches, personQueries, refetchAll, sessionKey } from './queries.ts'

/** A signed-in person, in the account of the current page. */
export interface MemberSession extends Omit<Session, 'account' | 'role'> {
  account: Session['accounts'][number]
  role: Session['accounts'][number]['role']
}

/** The session, or null when signed out. */
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

export function startSession(session: Session): void {
  clearCaches()
  personQueries.setQueryData(sessionKey, session)
  tellOtherTabs()
}

/** The same person signed in again: refetch everything, but keep the page as it is. */
export function resumeSession(session: Session): void {
  personQueries.setQueryData(sessionKey, session)
  refetchAll()
  tellOtherTabs()
}

const signedInChannel = 'signed in'

function tellOtherTabs(): void {
  const channel = new BroadcastChannel(signedInChannel)
  channel.postMessage(null)
  channel.close()
}

/** For a tab whose session has ended: a sign-in in another tab counts here too. */
export function useSignInElsewhere(): void {
  useEffect(() => {
    const channel = new BroadcastChannel(signedInChannel)
    channel.onmessage = async () => {
      await personQueries.invalidateQueries({ queryKey: sessionKey })
      refetchAll()
    }
    return () => channel.close()
  }, [])
}

/** Reloads the page, so that nothing of the account stays in memory. */
export async function signOut(then = paths.signIn()) {
  await client.signOut()
  leaveTo(then)
}

function leaveTo(path: string) {
  // Changing only the fragment would not reload the page.
  if (new URL(path, location.origin).pathname === location.pathname) location.reload()
  else location.assign(path)
}

export function useServer() {
  return useQuery(
    { queryKey: ['server'], queryFn: () => client.getServer(), staleTime: 10_000 },
    personQueries,
  )
}
