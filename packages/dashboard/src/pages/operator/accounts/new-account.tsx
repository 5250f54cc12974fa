import { isAgreed, type PlanName } from '@masthead/contract/plans.ts'
import type { Answer } from '@masthead/contract/routes.ts'
import { useState } from 'react'
import { useCreateAccount } from '../../../data/operator.ts'
import { FormDialog } from '../../../form/form-dialog.tsx'
import { ShownOnce } from '../../../shown-once.tsx'
import { Field } from '../../../ui/field.tsx'
import { PlanSelect } from './plan-select.tsx'

/** Makes an account, then shows the secret of its first key. */
export function NewAccount({ onClose }: { onClose: () => void }) {
  const create = useCreateAccount()
  const [plan, setPlan] = useState<PlanName>('free')
  const [created, setCreated] = useState<Answer<'createAccount'> | null>(null)
  if (created !== null) {
    return (
      <ShownOnce
        title={`${created.account.name} is ready`}
        lede="This is its first key, which may do everything in the account. Pass it on now: it is shown this once, and only a hash of it is kept."
        secret={created.key.secret}
        what="the key"
        onDone={onClose}
      />
    )
  }
  return (
    <FormDialog
      title="Create an account"
      onClose={onClose}
      submit="Create account"
      submitting="Creating…"
      onSubmit={async ({ name = '' }) => setCreated(await create.mutateAsync({ name, plan }))}
    >
      <Field
        name="name"
        label="Name"
        required
        maxLength={80}
        autoComplete="off"
        placeholder="Acme"
        hint="The team or customer that it is for."
      />
      <PlanSelect value={plan} onChoose={setPlan} />
      {isAgreed(plan) && (
        <p className="text-small text-soft">
          Its limits are set afterwards, by “Change plan” in the list of accounts.
        </p>
      )}
    </FormDialog>
  )
}
