import type { PersonDetails } from '@masthead/contract/schemas/people.ts'
import { useState } from 'react'
import { useChangePassword, useChangePerson } from '../../data/person.ts'
import { Form } from '../../form/form.tsx'
import { Field } from '../../ui/field.tsx'
import { useToast } from '../../ui/notices.tsx'
import { Section } from '../../ui/page.tsx'

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

export function ChangeEmail({ person }: { person: PersonDetails }) {
  const change = useChangePerson()
  const say = useToast()
  return (
    <Section title="Email" intro="You sign in with this address.">
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

export function ChangePassword({ email }: { email: string }) {
  const change = useChangePassword()
  const say = useToast()
  const [round, setRound] = useState(0)
  return (
    <Section
      title="Password"
      intro="Changing it signs you out everywhere else. API keys and CLI logins keep working: revoke any you don't recognize."
    >
      <div className="max-w-[420px]">
        <Form
          key={round}
          submit="Change password"
          submitting="Changing…"
          look="plain"
          onSubmit={async ({ current = '', new: chosen = '' }) => {
            const { sessionsEnded } = await change.mutateAsync({ current, new: chosen })
            setRound(round + 1)
            say({ words: `Your password was changed. ${endedWords(sessionsEnded)}` })
          }}
        >
          <input type="hidden" name="username" autoComplete="username" value={email} readOnly />
          <CurrentPasswordField />
          <Field
            name="new"
            type="password"
            label="New password"
            autoComplete="new-password"
            required
            minLength={10}
            maxLength={200}
            hint="At least 10 characters. A few unrelated words work well."
          />
        </Form>
      </div>
    </Section>
  )
}

export function endedWords(sessions: number): string {
  if (sessions === 0) return 'You had no other sessions.'
  return sessions === 1 ? '1 other session ended.' : `${sessions} other sessions ended.`
}

function CurrentPasswordField() {
  return (
    <Field
      name="current"
      type="password"
      label="Current password"
      autoComplete="current-password"
      required
      maxLength={200}
    />
  )
}
