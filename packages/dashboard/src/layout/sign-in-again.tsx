import type { Person } from '@masthead/contract/schemas/people.ts'
import { client } from '../api.ts'
import { Form } from '../form/form.tsx'
import { UnsavedContext } from '../form/unsaved-changes.ts'
import { paths } from '../paths.ts'
import { resumeSession } from '../session.ts'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Field } from '../ui/field.tsx'

/** Above a page whose session has ended: the page stays as it is, with what was typed, until they are back. */
export function SignInAgain({ person: { email } }: { person: Person }) {
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
