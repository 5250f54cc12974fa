import type { Sends } from '@masthead/contract/routes.ts'
import { Field } from '../ui/field.tsx'

export function NameField({ autoFocus = false }: { autoFocus?: boolean }) {
  return (
    <Field name="name" label="Your name" autoComplete="name" required maxLength={80} autoFocus={autoFocus} />
  )
}

export function EmailField({ value, autoFocus = false }: { value?: string; autoFocus?: boolean }) {
  return (
    <Field
      name="email"
      type="email"
      label="Email"
      autoComplete="username"
      required
      maxLength={254}
      defaultValue={value}
      readOnly={value !== undefined}
      autoFocus={autoFocus}
    />
  )
}

export function NewPasswordField() {
  return (
    <Field
      name="password"
      type="password"
      label="Password"
      autoComplete="new-password"
      required
      minLength={10}
      maxLength={200}
      hint="At least 10 characters. A few unrelated words work well."
    />
  )
}

export function AccountNameField() {
  return (
    <Field
      name="accountName"
      label="Account name"
      autoComplete="organization"
      defaultValue="My team"
      required
      maxLength={80}
      hint="Your projects belong to it, and you can invite people to it."
    />
  )
}

export function newPerson(values: Record<string, string>): Sends<'signUp', 'body'> {
  const { name = '', email = '', password = '', accountName = '' } = values
  return { name, email, password, accountName }
}
