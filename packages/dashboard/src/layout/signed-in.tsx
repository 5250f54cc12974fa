import type { Session } from '@masthead/contract/schemas/people.ts'
import { roles, type Scope } from '@masthead/contract/scopes.ts'
import { createContext, useContext } from 'react'
import { Navigate, Outlet, useLocation } from 'react-router'
import { LiveUpdates } from '../live-updates.tsx'
import { paths } from '../paths.ts'
import { ProblemNotice } from '../problem-notice.tsx'
import { isMemberSession, type MemberSession, useSession } from '../session.ts'
import { Button } from '../ui/button.tsx'
import { Toasts } from '../ui/toasts.tsx'
import { FrontPage } from './front-page.tsx'
import { Waiting } from './waiting.tsx'

const SessionContext = createContext<Session | null>(null)

/** Shows the pages below to somebody who is signed in; everybody else signs in first and comes back. */
export function SignedIn() {
  const { data: session, error, isFetching, refetch } = useSession()
  const { pathname, search, hash } = useLocation()
  if (session) {
    return (
      <SessionContext value={session}>
        {isMemberSession(session) && session.account.suspension === null && <LiveUpdates />}
        <Toasts>
          <Outlet />
        </Toasts>
      </SessionContext>
    )
  }
  if (session === null) return <Navigate to={paths.signIn(pathname + search + hash)} replace />
  if (error === null) return <Waiting />
  return (
    <FrontPage title="The dashboard cannot be shown">
      <ProblemNotice error={error}>
        <Button pending={isFetching && 'Trying again…'} onClick={() => refetch()}>
          Try again
        </Button>
      </ProblemNotice>
    </FrontPage>
  )
}

/** The session of whoever looks at this page, who may have no account. */
export function usePersonSession(): Session {
  const session = useContext(SessionContext)
  if (session === null) throw new Error('This page is not inside <SignedIn>')
  return session
}

/** The session of whoever looks at a page of their account. */
export function useSignedIn(): MemberSession {
  const session = usePersonSession()
  if (!isMemberSession(session)) throw new Error('This page is not inside <InAccount>')
  return session
}

/** Whether the role of whoever looks allows it; the API decides, this only spares them a refusal. */
export function useMay(scope: Scope): boolean {
  return may(useSignedIn(), scope)
}

export function may({ role }: Pick<MemberSession, 'role'>, scope: Scope): boolean {
  return roles[role].scopes.some((each) => each === scope)
}
