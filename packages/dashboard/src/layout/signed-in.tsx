import type { Session } from '@masthead/contract/schemas/people.ts'
import { roles, type Scope } from '@masthead/contract/scopes.ts'
import { createContext, useContext, useState } from 'react'
import { Navigate, Outlet, useLocation } from 'react-router'
import { AskBeforeLeaving } from '../form/ask-before-leaving.tsx'
import { paths } from '../paths.ts'
import { ProblemNotice } from '../problem-notice.tsx'
import { type MemberSession, useSession } from '../session.ts'
import { Button } from '../ui/button.tsx'
import { Toasts } from '../ui/toasts.tsx'
import { FrontPage } from './front-page.tsx'
import { PublicationsUnderWay } from './publications-under-way.tsx'
import { SignInAgain } from './sign-in-again.tsx'
import { Waiting } from './waiting.tsx'

const SessionContext = createContext<Session | null>(null)

/** The account that a page is of, and who looks at it; null where a page is of none. */
export const MemberContext = createContext<MemberSession | null>(null)

/**
 * Shows the pages below to somebody who is signed in; everybody else signs in first and comes back. A session that
 * ends leaves the page where it is.
 */
export function SignedIn() {
  const { data: session, error, isFetching, refetch } = useSession()
  const { pathname, search, hash } = useLocation()
  const [known, setKnown] = useState<Session | null>(null)
  if (session && session !== known) setKnown(session)
  const shown = session ?? known
  if (shown !== null) {
    return (
      <SessionContext value={shown}>
        <AskBeforeLeaving>
          <Toasts>
            <Outlet />
            <PublicationsUnderWay />
          </Toasts>
        </AskBeforeLeaving>
        {session === null && <SignInAgain person={shown.person} />}
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

/** Whoever looks at a page of an account. */
export function useSignedIn(): MemberSession {
  const member = useContext(MemberContext)
  if (member === null) throw new Error('This page is not inside <AccountScope>')
  return member
}

/** Whether the role of whoever looks allows it; the API decides, this only spares them a refusal. */
export function useMay(scope: Scope): boolean {
  return may(useSignedIn(), scope)
}

export function may({ role }: Pick<MemberSession, 'role'>, scope: Scope): boolean {
  return roles[role].scopes.some((each) => each === scope)
}
