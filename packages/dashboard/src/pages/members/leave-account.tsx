import { Confirm } from '../../confirm.tsx'
import { useRemoveMember } from '../../data/people.ts'
import { useSignedIn } from '../../layout/signed-in.tsx'
import { paths } from '../../paths.ts'

/** A session belongs to an account: whoever leaves it has to sign in again to reach another. */
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
        location.assign(paths.signIn())
      }}
    >
      <p>
        You will be signed out and can no longer see or change anything of {account.name}, and the command
        lines that act for you stop.{' '}
        {accounts.length > 1
          ? 'Sign in again to reach your other accounts.'
          : 'You belong to no other account here, so you could not sign in until somebody invites you.'}
      </p>
    </Confirm>
  )
}
