import type { Session } from '@masthead/contract/schemas/people.ts'
import { useMutation } from '@tanstack/react-query'
import { Link, useNavigate } from 'react-router'
import { client } from '../../api.ts'
import { Form } from '../../form/form.tsx'
import { paths } from '../../paths.ts'
import { ProblemNotice } from '../../problem-notice.tsx'
import { signOut, takeSession } from '../../session.ts'
import { Button, buttonClass } from '../../ui/button.tsx'

interface JoinAsKnownProps {
  token: string
  email: string
  session: Session | null
}

/** Somebody who has a password here accepts as themselves, so they sign in first. */
export function JoinAsKnown({ token, email, session }: JoinAsKnownProps) {
  const navigate = useNavigate()

  if (session === null) {
    return (
      <>
        <p>You have a password on this server already. Sign in as {email} to accept.</p>
        <Link to={paths.signIn(paths.join(token))} className={`mt-5 ${buttonClass('primary')}`}>
          Sign in to accept
        </Link>
      </>
    )
  }
  if (session.person.email !== email) return <SomebodyElse session={session} email={email} token={token} />
  return (
    <Form
      wide
      submit="Join"
      submitting="Joining…"
      onSubmit={async () => {
        takeSession(await client.acceptInvitation({ body: { token } }))
        navigate(paths.home(), { replace: true })
      }}
    >
      <p>You are signed in as {session.person.name}. Your other accounts stay as they are.</p>
    </Form>
  )
}

function SomebodyElse({ token, email, session }: { token: string; email: string; session: Session }) {
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
