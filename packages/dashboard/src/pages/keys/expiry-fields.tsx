import { useState } from 'react'
import { Field } from '../../ui/field.tsx'
import { Select } from '../../ui/select.tsx'
import { expiryChoices } from './expiry.ts'

export function ExpiryFields() {
  const [choice, setChoice] = useState('never')
  return (
    <div className="grid gap-5 sm:grid-cols-2 sm:gap-4">
      <Select
        label="Expires"
        name="expires"
        value={choice}
        onChange={({ target }) => setChoice(target.value)}
      >
        {Object.entries(expiryChoices).map(([value, { label }]) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </Select>
      {choice === 'date' && (
        <Field
          name="expiresAt"
          type="date"
          label="Last day"
          required
          // Browsers let a year grow to six digits.
          max="9999-12-31"
          hint="It works to the end of that day."
        />
      )}
    </div>
  )
}
