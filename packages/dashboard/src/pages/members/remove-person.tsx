import type { Member } from '@masthead/contract/schemas/people.ts'
import { useState } from 'react'
import { Confirm } from '../../confirm.tsx'
import { useRemoveMember } from '../../data/people.ts'
import { useSignedIn } from '../../layout/signed-in.tsx'
import { Checkbox } from '../../ui/checkbox.tsx'
import { focusPage } from '../../ui/focus-page.ts'
import { useToast } from '../../ui/toasts.tsx'

export function RemovePerson({ person, onClose }: { person: Member['person']; onClose: () => void }) {
  const { account } = useSignedIn()
  const remove = useRemoveMember()
  const say = useToast()
  const [keepsKeys, setKeepsKeys] = useState(false)
  return (
    <Confirm
      title={`Remove ${person.name}?`}
      action="Remove person"
      acting="Removing…"
      onClose={onClose}
      onConfirm={async () => {
        const keys = keepsKeys ? 'keep' : 'revoke'
        const { revokedKeys } = await remove.mutateAsync({ person: person.id, keys })
        onClose()
        focusPage()
        say({ words: `${person.name} no longer belongs to ${account.name}${withKeys(revokedKeys.length)}.` })
      }}
    >
      <p>
        {person.email} can no longer see or change anything of {account.name}, and the command lines that act
        for them stop. What they published stays. You can invite them again.
      </p>
      <p className="mt-3">
        They know the API keys that they created, so these are revoked too, with the invitations they sent.
      </p>
      <div className="mt-3">
        <Checkbox
          label="Keep their keys and invitations"
          hint="For keys that programs still use. You answer for them from now on."
          checked={keepsKeys}
          onChange={(event) => setKeepsKeys(event.currentTarget.checked)}
        />
      </div>
    </Confirm>
  )
}

function withKeys(revoked: number): string {
  if (revoked === 0) return ''
  return revoked === 1 ? ', and one API key is revoked' : `, and ${revoked} API keys are revoked`
}
