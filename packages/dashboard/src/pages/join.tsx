import type { Session } from '@masthead/contract/schemas/people.ts'
import { roles } from '@masthead/contract/scopes.ts'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Link, useLocation, useNavigate } from 'react-router'
import { client } from '../api/client.ts'
import { signOut, startSession, useSession } from '../api/session.ts'
import { Form } from '../form/form.tsx'
import { EmailField, NameField, NewPasswordField } from '../form/person-fields.tsx'
import { FrontPage, Waiting } from '../layout/front-page.tsx'
import { fragmentValue, paths } from '../paths.ts'
import { ProblemNotice } from '../problem-notice.tsx'
import { Button, buttonClass } from '../ui/button.tsx'
import { Notice } from '../ui/notices.tsx'

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
  if (invitation.error !== null) {
    return (
      <FrontPage title="Invitation">
        <ProblemNotice error={invitation.error} />
      </FrontPage>
    )
  }
  if (invitation.data === undefined || session.isPending) return <Waiting />

  const { accountName, role, email, personExists } = invitation.data
  return (
    <FrontPage
      title={`Join ${accountName}`}
      intro={`${email} was invited as ${roles[role].title.toLowerCase()}.`}
    >
      {personExists ? (
        <JoinAsExisting token={token} email={email} session={session.data ?? null} />
      ) : (
        <JoinAsNew token={token} email={email} />
      )}
    </FrontPage>
  )
}

interface JoinAsExistingProps {
  token: string
  email: string
  session: Session | null
}

/** People who already have a login sign in first. */
function JoinAsExisting({ token, email, session }: JoinAsExistingProps) {
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
      <p>You are signed in as {session.person.name}. Your other accounts are not affected.</p>
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
function JoinAsNew({ token, email }: { token: string; email: string }) {
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
      <EmailField value={email} />
      <NameField autoFocus />
      <NewPasswordField />
    </Form>
  )
}
