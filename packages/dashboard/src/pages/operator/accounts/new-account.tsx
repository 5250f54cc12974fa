import { type PlanName, plans } from '@masthead/contract/plans.ts'
import type { Answer } from '@masthead/contract/routes.ts'
import { useState } from 'react'
import { useCreateAccount } from '../../../data/operator.ts'
import { Form } from '../../../form/form.tsx'
import { ShownOnce } from '../../../shown-once.tsx'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
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
    <Dialog title="Create an account" onClose={onClose}>
      <Form
        submit="Create account"
        submitting="Creating…"
        aside={
          <Button look="quiet" onClick={onClose}>
            Cancel
          </Button>
        }
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
        {plans[plan].requestsPerMinute === null && (
          <p className="text-small text-soft">
            Its limits are set afterwards, by “Change plan” in the list of accounts.
          </p>
        )}
      </Form>
    </Dialog>
  )
}
