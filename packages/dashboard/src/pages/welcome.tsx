import { Link, useLocation, useNavigate } from 'react-router'
import { client } from '../api/client.ts'
import { startSession, useServer } from '../api/session.ts'
import { Form } from '../form/form.tsx'
import {
  AccountNameField,
  EmailField,
  NameField,
  NewPasswordField,
  newPerson,
} from '../form/person-fields.tsx'
import { FrontPage, Waiting } from '../layout/front-page.tsx'
import { fragmentValue, paths } from '../paths.ts'
import { buttonClass } from '../ui/button.tsx'
import { Notice } from '../ui/notices.tsx'

/** The setup link that the server prints: creates the first person, who is owner and operator. */
export function WelcomePage() {
  const token = fragmentValue(useLocation().hash)
  const server = useServer()
  if (server.isPending) return <Waiting />
  if (server.data?.setupNeeded === false) return <AlreadySetUp />
  if (token === '') return <LinkIncomplete />
  return <FirstPerson token={token} />
}

function FirstPerson({ token }: { token: string }) {
  const navigate = useNavigate()
  return (
    <FrontPage
      title="Welcome"
      intro="Create the first account on this server. You will be its owner and the operator of the server."
    >
      <Form
        wide
        submit="Create account"
        submitting="Creating account…"
        onSubmit={async (values) => {
          startSession(await client.setUp({ body: { ...newPerson(values), token } }))
          navigate(paths.home(), { replace: true })
        }}
      >
        <NameField autoFocus />
        <EmailField />
        <NewPasswordField />
        <AccountNameField />
      </Form>
    </FrontPage>
  )
}

function AlreadySetUp() {
  return (
    <FrontPage
      title="This server is already set up"
      intro="The setup link works only once and has been used. Sign in, or ask an account owner for an invitation."
    >
      <Link to={paths.signIn()} className={buttonClass('primary')}>
        Sign in
      </Link>
    </FrontPage>
  )
}

function LinkIncomplete() {
  return (
    <FrontPage title="Welcome">
      <Notice tone="waiting" title="This link is incomplete.">
        Copy the whole link from the terminal where the server runs, including everything after the{' '}
        <code className="font-mono text-small">#</code>.
      </Notice>
    </FrontPage>
  )
}
