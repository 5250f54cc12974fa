import type { CreatedKey } from '@masthead/contract/schemas/key.ts'
import { scopeNames } from '@masthead/contract/scopes.ts'
import { useState } from 'react'
import { useCreateKey } from '../../data/keys.ts'
import { FormDialog } from '../../form/form-dialog.tsx'
import { Field } from '../../ui/field.tsx'
import { expiresAt, isExpiryChoice } from './expiry.ts'
import { ExpiryFields } from './expiry-fields.tsx'
import { KeySecret } from './key-secret.tsx'
import { ScopeFields } from './scope-fields.tsx'

/** Makes a key, then shows its secret. */
export function NewKey({ onClose }: { onClose: () => void }) {
  const create = useCreateKey()
  const [created, setCreated] = useState<CreatedKey | null>(null)
  if (created !== null) return <KeySecret created={created} onDone={onClose} />
  return (
    <FormDialog
      title="Create a key"
      onClose={onClose}
      submit="Create key"
      submitting="Creating…"
      onSubmit={async ({ name = '', expires = '', expiresAt: date = '' }, data) => {
        const chosen = data.getAll('scopes')
        const body = {
          name,
          scopes: scopeNames.filter((scope) => chosen.includes(scope)),
          expiresAt: expiresAt(isExpiryChoice(expires) ? expires : 'never', date, Date.now()),
        }
        setCreated(await create.mutateAsync(body))
      }}
    >
      <Field
        name="name"
        label="Name"
        required
        maxLength={80}
        autoComplete="off"
        placeholder="ci-deploy"
        hint="Where it will be used, so that you know it again."
      />
      <ScopeFields />
      <ExpiryFields />
    </FormDialog>
  )
}
