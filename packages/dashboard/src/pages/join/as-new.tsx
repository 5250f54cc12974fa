import { useNavigate } from 'react-router'
import { client } from '../../api.ts'
import { Form } from '../../form/form.tsx'
import { EmailField, NameField, NewPasswordField } from '../../form/person-fields.tsx'
import { paths } from '../../paths.ts'
import { takeSession } from '../../session.ts'

/** Somebody new to this server chooses a name and a password. */
export function JoinAsNew({ token, email }: { token: string; email: string }) {
  const navigate = useNavigate()
  return (
    <Form
      wide
      submit="Join"
      submitting="Joining…"
      onSubmit={async ({ name = '', password = '' }) => {
        takeSession(await client.acceptInvitation({ body: { token, name, password } }))
        navigate(paths.home(), { replace: true })
      }}
    >
      <EmailField value={email} />
      <NameField autoFocus />
      <NewPasswordField />
    </Form>
  )
}
