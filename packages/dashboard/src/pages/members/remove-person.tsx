import type { Member } from '@masthead/contract/schemas/people.ts'
import { Confirm } from '../../confirm.tsx'
import { useRemoveMember } from '../../data/people.ts'
import { useSignedIn } from '../../layout/signed-in.tsx'
import { focusPage } from '../../ui/focus-page.ts'
import { useToast } from '../../ui/toasts.tsx'

export function RemovePerson({ person, onClose }: { person: Member['person']; onClose: () => void }) {
  const { account } = useSignedIn()
  const remove = useRemoveMember()
  const say = useToast()
  return (
    <Confirm
      title={`Remove ${person.name}?`}
      action="Remove person"
      acting="Removing…"
      onClose={onClose}
      onConfirm={async () => {
        await remove.mutateAsync(person.id)
        onClose()
        focusPage()
        say({ words: `${person.name} no longer belongs to ${account.name}.` })
      }}
    >
      <p>
        {person.email} can no longer see or change anything of {account.name}, and the command lines that act
        for them stop. What they published stays. You can invite them again.
      </p>
    </Confirm>
  )
}
