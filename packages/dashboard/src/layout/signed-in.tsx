import type { Person, Session } from '@masthead/contract/schemas/people.ts'
import { roles, type Scope } from '@masthead/contract/scopes.ts'
import { createContext, useContext, useState } from 'react'
import { Navigate, Outlet, useLocation } from 'react-router'
import { client } from '../api/client.ts'
import { type MemberSession, resumeSession, useSession } from '../api/session.ts'
import { Form } from '../form/form.tsx'
import { AskBeforeLeaving, UnsavedContext } from '../form/unsaved-changes.tsx'
import { paths } from '../paths.ts'
import { ProblemNotice } from '../problem-notice.tsx'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Field } from '../ui/field.tsx'
import { Toasts } from '../ui/notices.tsx'
import { FrontPage, Waiting } from './front-page.tsx'
import { PublishingStatus } from './publishing-status.tsx'

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
            <PublishingStatus />
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
export function useHasScope(scope: Scope): boolean {
  return hasScope(useSignedIn(), scope)
}

export function hasScope({ role }: Pick<MemberSession, 'role'>, scope: Scope): boolean {
  return roles[role].scopes.some((each) => each === scope)
}

/** Above a page whose session has ended: the page stays as it is, with what was typed, until they are back. */
function SignInAgain({ person: { email } }: { person: Person }) {
  const asSomebodyElse = (
    <Button look="quiet" onClick={() => location.assign(paths.signIn())}>
      Sign in as somebody else
    </Button>
  )
  return (
    <UnsavedContext value={null}>
      <Dialog title="Your session has ended" onClose={() => {}}>
        <p className="mb-5 text-soft">
          Sign in again to go on. This page stays as it is, and what you entered is kept.
        </p>
        <Form
          submit="Sign in"
          submitting="Signing in…"
          aside={asSomebodyElse}
          onSubmit={async ({ password = '' }) =>
            resumeSession(await client.signIn({ body: { email, password } }))
          }
        >
          <Field name="email" type="email" label="Email" value={email} readOnly autoComplete="username" />
          <Field
            name="password"
            type="password"
            label="Password"
            autoComplete="current-password"
            required
            autoFocus
          />
        </Form>
      </Dialog>
    </UnsavedContext>
  )
}
