import { useState } from 'react'
import { useChangePassword } from '../../data/person.ts'
import { Form } from '../../form/form.tsx'
import { Field } from '../../ui/field.tsx'
import { Section } from '../../ui/section.tsx'
import { useToast } from '../../ui/toasts.tsx'
import { CurrentPasswordField } from './current-password-field.tsx'

export function ChangePassword({ email }: { email: string }) {
  const change = useChangePassword()
  const say = useToast()
  const [round, setRound] = useState(0)
  return (
    <Section
      title="Password"
      lede="Changing it signs you out everywhere else. API keys and command lines go on; revoke those that you do not know under API keys."
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
            hint="At least ten characters. Several unrelated words are best."
          />
        </Form>
      </div>
    </Section>
  )
}

export function endedWords(sessions: number): string {
  if (sessions === 0) return 'You were signed in nowhere else.'
  return sessions === 1 ? 'One other session ended.' : `${sessions} other sessions ended.`
}
