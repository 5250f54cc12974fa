import type { OperatorAccount } from '@masthead/contract/schemas/operator.ts'
import { Confirm } from '../../../confirm.tsx'
import { useRestoreAccount, useSuspendAccount } from '../../../data/operator.ts'
import { FormDialog } from '../../../form/form-dialog.tsx'
import { Field } from '../../../ui/field.tsx'
import { useToast } from '../../../ui/toasts.tsx'

interface AccountDialogProps {
  account: OperatorAccount
  onClose: () => void
}

export function SuspendAccount({ account: { id, name }, onClose }: AccountDialogProps) {
  const suspend = useSuspendAccount(id)
  const say = useToast()
  return (
    <FormDialog
      title={`Suspend ${name}`}
      onClose={onClose}
      submit="Suspend the account"
      submitting="Suspending…"
      onSubmit={async ({ reason = '' }) => {
        await suspend.mutateAsync(reason)
        onClose()
        say({ words: `${name} is suspended.` })
      }}
    >
      <p className="text-soft">
        Its API keys are refused and its sites show that they are not available. Its people can sign in and
        read the reason. Nothing is deleted.
      </p>
      <Field
        name="reason"
        label="Reason"
        required
        maxLength={500}
        autoComplete="off"
        autoFocus
        hint="Shown to the people of the account, not to visitors."
      />
    </FormDialog>
  )
}

export function RestoreAccount({ account: { id, name, suspension }, onClose }: AccountDialogProps) {
  const restore = useRestoreAccount(id)
  const say = useToast()
  return (
    <Confirm
      title={`Restore ${name}?`}
      action="Restore the account"
      acting="Restoring…"
      onClose={onClose}
      onConfirm={async () => {
        await restore.mutateAsync()
        onClose()
        say({ words: `${name} is restored.` })
      }}
    >
      <p>
        Its keys work and its sites are shown again. It was suspended for this reason: “{suspension?.reason}”
      </p>
    </Confirm>
  )
}
