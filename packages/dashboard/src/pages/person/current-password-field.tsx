import { Field } from '../../ui/field.tsx'

export function CurrentPasswordField() {
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
