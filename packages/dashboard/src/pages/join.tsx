import type { ProblemError } from '@masthead/client/errors.ts'
import type { Session } from '@masthead/contract/schemas/people.ts'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Link, useLocation, useNavigate } from 'react-router'
import { client, isProblem } from '../api/client.ts'
import { signOut, startSession, useSession } from '../api/session.ts'
import { Form } from '../form/form.tsx'
import { EmailField, NameField, NewPasswordField } from '../form/person-fields.tsx'
import { FrontPage, Waiting } from '../layout/front-page.tsx'
import { Loaded } from '../loaded.tsx'
import { fragmentValue, paths } from '../paths.ts'
import { ProblemNotice } from '../problem-notice.tsx'
import { Button, buttonClass } from '../ui/button.tsx'
import { Notice } from '../ui/notices.tsx'
import { asRole } from '../ui/role-words.ts'

/** Shows an invitation and accepts it. */
export function JoinPage() {
  const token = fragmentValue(useLocation().hash)
  const session = useSession()
  const invitation = useQuery({
    queryKey: ['invitation', token],
    queryFn: () => client.lookUpInvitation({ body: { token } }),
    enabled: token !== '',
    staleTime: Number.POSITIVE_INFINITY,
  })

  if (token === '') {
    return (
      <FrontPage title="Invitation">
        <Notice tone="waiting" title="This link is incomplete.">
          Copy the whole link you were sent, including everything after the{' '}
          <code className="font-mono text-small">#</code>.
        </Notice>
      </FrontPage>
    )
  }
  if (session.isPending || invitation.isPending) return <Waiting />
  const signedIn = session.data ?? null
  if (isProblem(invitation.error, 'link_invalid'))
    return <InvitationUsed problem={invitation.error} session={signedIn} />
  if (invitation.error !== null) {
    return (
      <FrontPage title="Invitation">
        <Loaded query={invitation}>{() => null}</Loaded>
      </FrontPage>
    )
  }

  const { accountName, role, email, personExists } = invitation.data
  return (
    <FrontPage title={`Join ${accountName}`} intro={`${email} was invited as ${asRole(role)}.`}>
      {personExists ? (
        <JoinAsExisting token={token} email={email} session={signedIn} />
      ) : (
        <JoinAsNew token={token} email={email} session={signedIn} />
      )}
    </FrontPage>
  )
}

/** Most people who open it again have joined already. */
function InvitationUsed({ problem, session }: { problem: ProblemError; session: Session | null }) {
  return (
    <FrontPage title="Invitation">
      <div className="flex flex-col items-start gap-5">
        <Notice tone="stopped" title={problem.detail}>
          Ask the person who invited you for a new one.
        </Notice>
        {session === null ? (
          <>
            <p>If you have joined already, sign in.</p>
            <Link to={paths.signIn()} className={buttonClass('primary')}>
              Sign in
            </Link>
          </>
        ) : (
          <>
            <p className="wrap-anywhere">You are signed in as {session.person.email}.</p>
            <Link to={paths.home()} className={buttonClass('primary')}>
              Open the dashboard
            </Link>
          </>
        )}
      </div>
    </FrontPage>
  )
}

interface JoinProps {
  token: string
  email: string
  /** The person who is signed in already, who may be somebody else. */
  session: Session | null
}

/** People who already have a login sign in first. */
function JoinAsExisting({ token, email, session }: JoinProps) {
  const navigate = useNavigate()

  if (session === null) {
    return (
      <>
        <p>You already have a login on this server. Sign in as {email} to accept.</p>
        <Link to={paths.signIn(paths.join(token))} className={`mt-5 ${buttonClass('primary')}`}>
          Sign in to accept
        </Link>
      </>
    )
  }
  if (session.person.email !== email) return <SignedInAsOther session={session} email={email} token={token} />
  return (
    <Form
      wide
      submit="Join"
      submitting="Joining…"
      onSubmit={async () => {
        startSession(await client.acceptInvitation({ body: { token } }))
        navigate(paths.home(), { replace: true })
      }}
    >
      <p>
        You are signed in as <bdi>{session.person.name}</bdi>. Your other accounts are not affected.
      </p>
    </Form>
  )
}

function SignedInAsOther({ token, email, session }: { token: string; email: string; session: Session }) {
  const leave = useMutation({ mutationFn: () => signOut(paths.signIn(paths.join(token))) })
  return (
    <div className="flex flex-col items-start gap-5">
      <p>
        You are signed in as {session.person.email}, but the invitation is for {email}. Sign out, then sign in
        as {email}.
      </p>
      {leave.error !== null && <ProblemNotice error={leave.error} />}
      <Button look="primary" pending={leave.isPending && 'Signing out…'} onClick={() => leave.mutate()}>
        Sign out
      </Button>
    </div>
  )
}

/** People who are new to this server choose a name and a password. */
function JoinAsNew({ token, email, session }: JoinProps) {
  const navigate = useNavigate()
  return (
    <Form
      wide
      submit="Join"
      submitting="Joining…"
      onSubmit={async ({ name = '', password = '' }) => {
        startSession(await client.acceptInvitation({ body: { token, name, password } }))
        navigate(paths.home(), { replace: true })
      }}
    >
      {session !== null && (
        <p className="wrap-anywhere">
          You are signed in as {session.person.email}. Joining creates a login for {email} and signs you in
          with it instead.
        </p>
      )}
      <EmailField value={email} />
      <NameField autoFocus />
      <NewPasswordField />
    </Form>
  )
}
