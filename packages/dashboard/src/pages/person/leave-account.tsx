import type { Id } from '@masthead/contract/ids.ts'
import { Confirm } from '../../confirm.tsx'
import { useLeaveAccount } from '../../data/person.ts'
import { paths } from '../../paths.ts'

interface LeaveAccountProps {
  account: { id: Id<'account'>; name: string }
  isOnly: boolean
  onClose: () => void
}

export function LeaveAccount({ account: { id, name }, isOnly, onClose }: LeaveAccountProps) {
  const leave = useLeaveAccount()
  return (
    <Confirm
      title={`Leave ${name}?`}
      action="Leave the account"
      acting="Leaving…"
      onClose={onClose}
      onConfirm={async () => {
        await leave.mutateAsync(id)
        // Loaded anew, so that nothing of the account stays in memory.
        location.assign(paths.home())
      }}
    >
      <p>
        You can no longer see or change anything of {name}. The command lines that act for you there stop, and
        the API keys that you created are revoked.{' '}
        {isOnly
          ? 'You belong to no other account here: you can still sign in, and need an invitation to do more.'
          : 'Your other accounts stay as they are.'}
      </p>
    </Confirm>
  )
}
