import { Confirm } from '../../confirm.tsx'
import { useRemoveMember } from '../../data/people.ts'
import { useSignedIn } from '../../layout/signed-in.tsx'
import { paths } from '../../paths.ts'

export function LeaveAccount({ onClose }: { onClose: () => void }) {
  const { account, accounts, person } = useSignedIn()
  const remove = useRemoveMember()
  return (
    <Confirm
      title={`Leave ${account.name}?`}
      action="Leave the account"
      acting="Leaving…"
      onClose={onClose}
      onConfirm={async () => {
        await remove.mutateAsync(person.id)
        location.assign(paths.home())
      }}
    >
      <p>
        You can no longer see or change anything of {account.name}, and the command lines that act for you
        there stop.{' '}
        {accounts.length > 1
          ? 'Your other accounts stay as they are.'
          : 'You belong to no other account here: you can still sign in, and need an invitation to do more.'}
      </p>
    </Confirm>
  )
}
