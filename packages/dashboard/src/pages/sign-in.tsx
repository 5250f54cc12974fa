import { Link, Navigate, useLocation } from 'react-router'
import { client } from '../api/client.ts'
import { startSession, useServer, useSession } from '../api/session.ts'
import { Form } from '../form/form.tsx'
import { EmailField } from '../form/person-fields.tsx'
import { FrontPage, Waiting } from '../layout/front-page.tsx'
import { backTo, paths } from '../paths.ts'
import { Field } from '../ui/field.tsx'
import { Notice } from '../ui/notices.tsx'

export function SignInPage() {
  const after = backTo(useLocation().hash)
  const session = useSession()
  const server = useServer()

  if (session.data) return <Navigate to={after} replace />
  if (session.isPending || server.isPending) return <Waiting />
  if (server.data?.setupNeeded) return <SetupNeeded />
  return (
    <FrontPage title="Sign in">
      <Form
        wide
        submit="Sign in"
        submitting="Signing in…"
        onSubmit={async ({ email = '', password = '' }) =>
          startSession(await client.signIn({ body: { email, password } }))
        }
      >
        <EmailField autoFocus />
        <Field name="password" type="password" label="Password" autoComplete="current-password" required />
      </Form>
      <p className="mt-6 text-soft">
        {server.data?.signup === 'open' ? (
          <>
            No account yet?{' '}
            <Link to={paths.signUp(after)} className="link text-ink">
              Sign up
            </Link>
          </>
        ) : (
          'This server is invite-only. Ask an account owner for an invitation.'
        )}
      </p>
      <p className="mt-2 text-soft">
        Forgot your password? Ask an owner of your account, or the operator, for a reset link.
      </p>
    </FrontPage>
  )
}

function SetupNeeded() {
  return (
    <FrontPage title="Set up this server">
      <Notice tone="waiting" title="This server has no account yet.">
        Open the link that the server printed in its terminal to create the first account.
      </Notice>
    </FrontPage>
  )
}
