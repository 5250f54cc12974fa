import type { CreatedKey } from '@masthead/contract/schemas/key.ts'
import { scopeNames, scopes } from '@masthead/contract/scopes.ts'
import { useContext, useState } from 'react'
import { useCreateKey } from '../../data/keys.ts'
import { FormDialog } from '../../form/form-dialog.tsx'
import { OneTimeSecret } from '../../one-time-secret.tsx'
import { Checkbox } from '../../ui/choices.tsx'
import { Command } from '../../ui/copy.tsx'
import { Field, FieldErrors, Select } from '../../ui/field.tsx'
import { expiresAt, expiryChoices, isExpiryChoice } from './key.ts'

export function NewKey({ onClose }: { onClose: () => void }) {
  const create = useCreateKey()
  const [created, setCreated] = useState<CreatedKey | null>(null)
  if (created !== null) return <KeySecret created={created} onDone={onClose} />
  return (
    <FormDialog
      title="Create API key"
      onClose={onClose}
      submit="Create key"
      submitting="Creating…"
      onSubmit={async ({ name = '', expires = '', expiresAt: date = '', project = '' }, data) => {
        const chosen = data.getAll('scopes')
        const body = {
          name,
          scopes: scopeNames.filter((scope) => chosen.includes(scope)),
          expiresAt: expiresAt(isExpiryChoice(expires) ? expires : 'never', date, Date.now()),
          project: project.trim() === '' ? null : project.trim(),
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
        hint="Where you will use it, so that you recognize it later."
      />
      <ScopeFields />
      <Field
        name="project"
        label="Only this project"
        maxLength={60}
        autoComplete="off"
        placeholder="my-site"
        hint="Leave it empty for all projects of the account."
      />
      <ExpiryFields />
    </FormDialog>
  )
}

/** What most programs need. Admin access has to be chosen deliberately. */
const defaultScopes: readonly string[] = scopeNames.filter((scope) => scope !== 'admin')

function ScopeFields() {
  const [chosen, setChosen] = useState(defaultScopes)
  const fieldError = useContext(FieldErrors).scopes
  const none = chosen.length === 0
  const invalid = none && fieldError !== undefined
  return (
    <fieldset>
      <legend className="mb-2 font-medium">Scopes</legend>
      <div className="flex flex-col gap-2.5">
        {scopeNames.map((scope, index) => (
          <Checkbox
            key={scope}
            name="scopes"
            value={scope}
            label={<span className="font-medium">{scope}</span>}
            hint={scopes[scope]}
            checked={chosen.includes(scope)}
            onChange={({ target: { checked } }) =>
              setChosen(checked ? [...chosen, scope] : chosen.filter((each) => each !== scope))
            }
            // HTML has no `required` for a group of checkboxes, so the first one carries it.
            required={none && index === 0}
            aria-invalid={(invalid && index === 0) || undefined}
          />
        ))}
      </div>
      {invalid && (
        <p role="alert" className="mt-2 text-small text-stopped">
          Choose at least one scope.
        </p>
      )}
    </fieldset>
  )
}

function ExpiryFields() {
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
          // Browsers accept years with six digits.
          max="9999-12-31"
          hint="The key works until the end of this day."
        />
      )}
    </div>
  )
}

function KeySecret({ created: { name, secret }, onDone }: { created: CreatedKey; onDone: () => void }) {
  return (
    <OneTimeSecret
      title={`${name} is ready`}
      intro="Copy the key now. It won't be shown again, because we only store its hash."
      secret={secret}
      what="the key"
      onDone={onDone}
    >
      <p className="mt-5 mb-2 font-medium">Try it</p>
      <Command line={`curl -H "Authorization: Bearer ${secret}" ${location.origin}/v1/whoami`} />
    </OneTimeSecret>
  )
}
