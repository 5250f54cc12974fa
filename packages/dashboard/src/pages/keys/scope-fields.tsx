import { scopeNames, scopes } from '@masthead/contract/scopes.ts'
import { useContext, useState } from 'react'
import { Checkbox } from '../../ui/checkbox.tsx'
import { FieldFaults } from '../../ui/field.tsx'

/** What most programs need; managing keys and people is given on purpose. */
const usual: readonly string[] = scopeNames.filter((scope) => scope !== 'admin')

export function ScopeFields() {
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
