import { type PlanName, plans } from '@masthead/contract/plans.ts'
import { Confirm } from '../../confirm.tsx'

interface LeaveAgreedDialogProps {
  from: PlanName
  to: PlanName
  onConfirm: () => Promise<unknown>
  onClose: () => void
}

/** What was agreed with somebody cannot be chosen again from a list. */
export function LeaveAgreedDialog({ from, to, onConfirm, onClose }: LeaveAgreedDialogProps) {
  return (
    <Confirm
      title={`Leave ${plans[from].title}?`}
      action={`Change to ${plans[to].title}`}
      acting="Changing…"
      onConfirm={onConfirm}
      onClose={onClose}
    >
      The limits that were agreed for this account end with it. Only whoever runs this server can agree on
      them again.
    </Confirm>
  )
}
