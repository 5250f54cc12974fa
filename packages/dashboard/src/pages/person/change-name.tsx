import type { PersonDetails } from '@masthead/contract/schemas/people.ts'
import { useChangePerson } from '../../data/person.ts'
import { Form } from '../../form/form.tsx'
import { Field } from '../../ui/field.tsx'
import { Section } from '../../ui/section.tsx'
import { useToast } from '../../ui/toasts.tsx'

export function ChangeName({ person }: { person: PersonDetails }) {
  const change = useChangePerson()
  const say = useToast()
  return (
    <Section title="Name">
      <div className="max-w-[420px]">
        <Form
          submit="Save name"
          submitting="Saving…"
          look="plain"
          onSubmit={async ({ name = '' }) => {
            await change.mutateAsync({ name })
            say({ words: 'Your name was saved.' })
          }}
        >
          <Field
            name="name"
            label="Your name"
            labelHidden
            autoComplete="name"
            required
            maxLength={80}
            defaultValue={person.name}
          />
        </Form>
      </div>
    </Section>
  )
}
