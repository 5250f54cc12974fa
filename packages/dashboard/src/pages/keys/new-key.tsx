import type { CreatedKey } from '@masthead/contract/schemas/key.ts'
import { scopeNames, scopes } from '@masthead/contract/scopes.ts'
import { useContext, useState } from 'react'
import { useCreateKey } from '../../data/keys.ts'
import { FormDialog } from '../../form/form-dialog.tsx'
import { OneTimeSecret } from '../../one-time-secret.tsx'
import { Checkbox } from '../../ui/choices.tsx'
import { Command } from '../../ui/copy.tsx'
import { Field, FieldFaults, Select } from '../../ui/field.tsx'
import { expiresAt, expiryChoices, isExpiryChoice } from './key.ts'

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

/** What most programs need; managing keys and people is given on purpose. */
const usual: readonly string[] = scopeNames.filter((scope) => scope !== 'admin')

function ScopeFields() {
  const [chosen, setChosen] = useState(usual)
  const fault = useContext(FieldFaults).scopes
  const none = chosen.length === 0
  const invalid = none && fault !== undefined
  return (
    <fieldset>
      <legend className="mb-2 font-medium">It may</legend>
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
            // A group has no `required` of its own: the first box stands for it.
            required={none && index === 0}
            aria-invalid={(invalid && index === 0) || undefined}
          />
        ))}
      </div>
      {invalid && (
        <p role="alert" className="mt-2 text-small text-stopped">
          Choose at least one, or the key can do nothing.
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
          // Browsers let a year grow to six digits.
          max="9999-12-31"
          hint="It works to the end of that day."
        />
      )}
    </div>
  )
}

function KeySecret({ created: { name, secret }, onDone }: { created: CreatedKey; onDone: () => void }) {
  return (
    <OneTimeSecret
      title={`${name} is ready`}
      lede="Copy the key now. It is shown this once; only a hash of it is kept."
      secret={secret}
      what="the key"
      onDone={onDone}
    >
      <p className="mt-5 mb-2 font-medium">Try it</p>
      <Command line={`curl -H "Authorization: Bearer ${secret}" ${location.origin}/v1/whoami`} />
    </OneTimeSecret>
  )
}
