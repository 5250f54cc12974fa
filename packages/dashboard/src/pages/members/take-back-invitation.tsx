import type { Invitation } from '@masthead/contract/schemas/people.ts'
import { Confirm } from '../../confirm.tsx'
import { useTakeBackInvitation } from '../../data/people.ts'
import { focusPage } from '../../ui/focus-page.ts'
import { useToast } from '../../ui/toasts.tsx'

interface TakeBackInvitationProps {
  invitation: Invitation
  onClose: () => void
}

export function TakeBackInvitation({ invitation: { id, email }, onClose }: TakeBackInvitationProps) {
  const takeBack = useTakeBackInvitation()
  const say = useToast()
  return (
    <Confirm
      title="Take the invitation back?"
      action="Take back"
      acting="Taking back…"
      onClose={onClose}
      onConfirm={async () => {
        await takeBack.mutateAsync(id)
        onClose()
        focusPage()
        say({ words: `The invitation of ${email} is taken back.` })
      }}
    >
      <p>The link that {email} was given stops working. You can invite them again, with a new link.</p>
    </Confirm>
  )
}
