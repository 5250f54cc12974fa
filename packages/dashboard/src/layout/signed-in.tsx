import type { Person, Session } from '@masthead/contract/schemas/people.ts'
import { roles, type Scope } from '@masthead/contract/scopes.ts'
import { createContext, useContext, useEffect, useRef, useState } from 'react'
import { Navigate, Outlet, useLocation } from 'react-router'
import { client } from '../api/client.ts'
import { type MemberSession, resumeSession, useSession, useSignInElsewhere } from '../api/session.ts'
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

/** The signed-in person in the current account; null on pages outside any account. */
export const MemberContext = createContext<MemberSession | null>(null)

/** Sends people to the sign-in page and back. When a session ends, the page stays and a dialog asks to sign in again. */
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
    <FrontPage title="The dashboard could not be loaded">
      <ProblemNotice error={error}>
        <Button pending={isFetching && 'Trying again…'} onClick={() => refetch()}>
          Try again
        </Button>
      </ProblemNotice>
    </FrontPage>
  )
}

/** The session of the signed-in person, who may have no account. */
export function usePersonSession(): Session {
  const session = useContext(SessionContext)
  if (session === null) throw new Error('usePersonSession needs a <SignedIn> around it')
  return session
}

/** The signed-in person in the current account. */
export function useSignedIn(): MemberSession {
  const member = useContext(MemberContext)
  if (member === null) throw new Error('useSignedIn needs an <AccountScope> around it')
  return member
}

/** Whether the person's role includes a scope. Only for hiding what the API would reject. */
export function useHasScope(scope: Scope): boolean {
  return hasScope(useSignedIn(), scope)
}

export function hasScope({ role }: Pick<MemberSession, 'role'>, scope: Scope): boolean {
  return roles[role].scopes.some((each) => each === scope)
}

/** Covers a page whose session has ended, so that nothing typed is lost. */
function SignInAgain({ person: { email } }: { person: Person }) {
  const password = useRef<HTMLInputElement>(null)
  useSignInElsewhere()
  // The dialog focuses its first field, which is filled in.
  useEffect(() => password.current?.focus(), [])
  const asSomeoneElse = (
    <Button look="quiet" onClick={() => location.assign(paths.signIn())}>
      Sign in as someone else
    </Button>
  )
  return (
    <UnsavedContext value={null}>
      <Dialog title="Your session has ended" onClose={() => {}}>
        <p className="mb-5 text-soft">Sign in again to continue. Nothing you entered is lost.</p>
        <Form
          submit="Sign in"
          submitting="Signing in…"
          aside={asSomeoneElse}
          onSubmit={async ({ password: typed = '' }) =>
            resumeSession(await client.signIn({ body: { email, password: typed } }))
          }
        >
          <Field name="email" type="email" label="Email" value={email} readOnly autoComplete="username" />
          <Field
            ref={password}
            name="password"
            type="password"
            label="Password"
            autoComplete="current-password"
            required
          />
        </Form>
      </Dialog>
    </UnsavedContext>
  )
}
