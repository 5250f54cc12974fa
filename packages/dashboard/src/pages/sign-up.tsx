import { Link, Navigate, useLocation } from 'react-router'
import { client } from '../api/client.ts'
import { startSession, useServer, useSession } from '../api/session.ts'
import { Form } from '../form/form.tsx'
import {
  AccountNameField,
  EmailField,
  NameField,
  NewPasswordField,
  newPerson,
} from '../form/person-fields.tsx'
import { FrontPage, Waiting } from '../layout/front-page.tsx'
import { backTo, paths } from '../paths.ts'
import { buttonClass } from '../ui/button.tsx'

export function SignUpPage() {
  const after = backTo(useLocation().hash)
  const session = useSession()
  const server = useServer()

  if (session.data) return <Navigate to={after} replace />
  if (session.isPending || server.isPending) return <Waiting />
  if (server.data?.signup === 'invite') return <InvitationRequired />
  return (
    <FrontPage title="Sign up" intro="Publish a folder and see it live at its own address.">
      <Form
        wide
        submit="Sign up"
        submitting="Signing up…"
        onSubmit={async (values) => startSession(await client.signUp({ body: newPerson(values) }))}
      >
        <NameField autoFocus />
        <EmailField />
        <NewPasswordField />
        <AccountNameField />
      </Form>
      <p className="mt-6 text-soft">
        Have an account?{' '}
        <Link to={paths.signIn(after)} className="link text-ink">
          Sign in
        </Link>
      </p>
    </FrontPage>
  )
}

function InvitationRequired() {
  return (
    <FrontPage
      title="Invitation required"
      intro="This server is invite-only. Ask an account owner for an invitation link, then choose your name and password."
    >
      <Link to={paths.signIn()} className={buttonClass()}>
        Sign in
      </Link>
    </FrontPage>
  )
}
