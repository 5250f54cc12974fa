import type { Account } from '@masthead/contract/schemas/account.ts'
import { Field } from '../../../ui/field.tsx'
import { gigabytes } from './agreed-limits.ts'

/** The limits that were agreed upon, which only a plan without limits of its own has. */
export function LimitFields({ limits }: { limits: Account['limits'] }) {
  return (
    <div className="grid gap-5 sm:grid-cols-2">
      <Field
        name="perMinute"
        type="number"
        label="Requests a minute"
        step="any"
        required
        inputMode="numeric"
        defaultValue={limits.perMinute}
      />
      <Field
        name="perDay"
        type="number"
        label="Requests a day"
        step="any"
        required
        inputMode="numeric"
        defaultValue={limits.perDay}
      />
      <Field
        name="domainsPerProject"
        type="number"
        label="Domains a project"
        step="any"
        inputMode="numeric"
        defaultValue={limits.domainsPerProject || ''}
        hint="Left empty: any number."
      />
      <Field
        name="storage"
        type="number"
        label="Storage in GB"
        step="any"
        inputMode="decimal"
        defaultValue={gigabytes(limits.storageBytes)}
        hint="Left empty: as much as Business."
      />
    </div>
  )
}
