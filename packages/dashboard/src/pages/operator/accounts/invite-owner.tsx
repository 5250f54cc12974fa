import type { OperatorAccount } from '@masthead/contract/schemas/operator.ts'
import { useState } from 'react'
import { useInviteOwner } from '../../../data/operator.ts'
import type { InvitationWithLink } from '../../../data/people.ts'
import { FormDialog } from '../../../form/form-dialog.tsx'
import { InvitationLink } from '../../../one-time-secret.tsx'
import { Field } from '../../../ui/field.tsx'

interface InviteOwnerProps {
  account: OperatorAccount
  onClose: () => void
}

/** For an account whose owner is gone, or never used the link. */
export function InviteOwner({ account: { id, name }, onClose }: InviteOwnerProps) {
  const invite = useInviteOwner(id)
  const [invited, setInvited] = useState<InvitationWithLink | null>(null)
  if (invited !== null) return <InvitationLink invitation={invited} onDone={onClose} />
  return (
    <FormDialog
      title={`Invite an owner of ${name}`}
      onClose={onClose}
      submit="Create link"
      submitting="Creating…"
      onSubmit={async ({ email = '' }) => setInvited(await invite.mutateAsync(email))}
    >
      <p className="text-soft">
        For an account whose owner is gone or whose invitation has expired. One of its members can become the
        owner too. The members see in the activity that you did this. Make sure the person may have the
        account.
      </p>
      <Field
        name="email"
        type="email"
        label="Email"
        required
        maxLength={254}
        autoComplete="off"
        autoFocus
        hint="They will sign in with this address. An earlier link for it stops working."
      />
    </FormDialog>
  )
}
