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

/** The one-time first link, which the server printed: makes the first person, owner and operator. */
export function WelcomePage() {
  const token = fragmentValue(useLocation().hash)
  const server = useServer()
  if (server.isPending) return <Waiting />
  if (server.data?.setupNeeded === false) return <SetUpAlready />
  if (token === '') return <LinkIncomplete />
  return <FirstPerson token={token} />
}

function FirstPerson({ token }: { token: string }) {
  const navigate = useNavigate()
  return (
    <FrontPage
      title="Welcome"
      lede="Make the first account on this server. You will own it and run the server."
    >
      <Form
        wide
        submit="Make the account"
        submitting="Making the account…"
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

function SetUpAlready() {
  return (
    <FrontPage
      title="This server is set up"
      lede="Its first link has been used, and works only once. Sign in with the account that was made then, or ask an owner for an invitation."
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
        Copy the whole link from the terminal in which the server runs, with all that stands after the{' '}
        <code className="font-mono text-small">#</code>.
      </Notice>
    </FrontPage>
  )
}
