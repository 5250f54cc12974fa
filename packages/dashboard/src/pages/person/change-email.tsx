import type { PersonDetails } from '@masthead/contract/schemas/people.ts'
import { useChangePerson } from '../../data/person.ts'
import { Form } from '../../form/form.tsx'
import { Field } from '../../ui/field.tsx'
import { Section } from '../../ui/section.tsx'
import { useToast } from '../../ui/toasts.tsx'
import { CurrentPasswordField } from './current-password-field.tsx'

export function ChangeEmail({ person }: { person: PersonDetails }) {
  const change = useChangePerson()
  const say = useToast()
  return (
    <Section title="Email" lede="You sign in with it.">
      <div className="max-w-[420px]">
        <Form
          submit="Change email"
          submitting="Changing…"
          look="plain"
          onSubmit={async ({ email = '', current = '' }) => {
            const changed = await change.mutateAsync({ email, current })
            say({ words: `Sign in as ${changed.email} from now on.` })
          }}
        >
          <Field
            name="email"
            type="email"
            label="Email"
            autoComplete="email"
            required
            maxLength={254}
            defaultValue={person.email}
          />
          <CurrentPasswordField />
        </Form>
      </div>
    </Section>
  )
}
