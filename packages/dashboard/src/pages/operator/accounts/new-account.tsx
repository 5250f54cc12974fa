import { isCustomPlan, type PlanName } from '@masthead/contract/plans.ts'
import type { Answer } from '@masthead/contract/routes.ts'
import { useState } from 'react'
import { useCreateAccount } from '../../../data/operator.ts'
import type { InvitationWithLink } from '../../../data/people.ts'
import { FormDialog } from '../../../form/form-dialog.tsx'
import { OneTimeSecret } from '../../../one-time-secret.tsx'
import { Copy } from '../../../ui/copy.tsx'
import { Field } from '../../../ui/field.tsx'
import { PlanSelect } from './change-plan.tsx'

/** Creates an account, then shows the secret of its first key. */
export function NewAccount({ onClose }: { onClose: () => void }) {
  const create = useCreateAccount()
  const [plan, setPlan] = useState<PlanName>('free')
  const [created, setCreated] = useState<Answer<'createAccount'> | null>(null)
  if (created !== null) {
    return (
      <OneTimeSecret
        title={`${created.account.name} is ready`}
        intro="This is its first API key, with full access to the account. Copy it now: it won't be shown again."
        secret={created.key.secret}
        what="the key"
        onDone={onClose}
      >
        {created.invitation !== null && <OwnerLink invitation={created.invitation} />}
      </OneTimeSecret>
    )
  }
  return (
    <FormDialog
      title="Create account"
      onClose={onClose}
      submit="Create account"
      submitting="Creating…"
      onSubmit={async ({ name = '', ownerEmail = '' }) => {
        const owner = ownerEmail.trim() === '' ? {} : { ownerEmail }
        setCreated(await create.mutateAsync({ name, plan, ...owner }))
      }}
    >
      <Field
        name="name"
        label="Name"
        required
        maxLength={80}
        autoComplete="off"
        placeholder="Acme"
        hint="The team or customer it is for."
      />
      <Field
        name="ownerEmail"
        type="email"
        label="Owner’s email"
        maxLength={254}
        autoComplete="off"
        hint="You get an invitation link to send. Leave empty if only programs will use the account."
      />
      <PlanSelect value={plan} onChoose={setPlan} />
      {isCustomPlan(plan) && (
        <p className="text-small text-soft">Set its limits afterwards with “Change plan” in the list.</p>
      )}
    </FormDialog>
  )
}

function OwnerLink({ invitation: { email, url } }: { invitation: InvitationWithLink }) {
  return (
    <>
      <p className="mt-5 text-soft">
        Send this link to {email} to make them the owner. It works once and expires in seven days.
      </p>
      <div className="mt-3 flex items-center gap-3 rounded-sheet border border-edge bg-wash py-2.5 pr-2.5 pl-4">
        <code className="min-w-0 flex-1 font-mono text-small break-all select-all">{url}</code>
        <Copy text={url} what="the link" />
      </div>
    </>
  )
}
