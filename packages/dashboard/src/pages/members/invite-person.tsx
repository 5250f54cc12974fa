import { type Role, roleNames, roles } from '@masthead/contract/scopes.ts'
import { useState } from 'react'
import { type InvitationWithLink, useInvite } from '../../data/people.ts'
import { FormDialog } from '../../form/form-dialog.tsx'
import { Field } from '../../ui/field.tsx'
import { Select } from '../../ui/select.tsx'
import { InvitationLink } from './invitation-link.tsx'
import { roleSentence } from './role-words.ts'

/** Invites a person, then shows the link to send to them. */
export function InvitePerson({ onClose }: { onClose: () => void }) {
  const invite = useInvite()
  const [role, setRole] = useState<Role>('developer')
  const [invited, setInvited] = useState<InvitationWithLink | null>(null)
  if (invited !== null) return <InvitationLink invitation={invited} onDone={onClose} />
  return (
    <FormDialog
      title="Invite a person"
      onClose={onClose}
      submit="Make the link"
      submitting="Making…"
      onSubmit={async ({ email = '' }) => setInvited(await invite.mutateAsync({ email, role }))}
    >
      <Field
        name="email"
        type="email"
        label="Email"
        required
        maxLength={254}
        autoComplete="off"
        hint="They sign in with it. No mail is sent: you get a link to give to them."
      />
      <Select
        name="role"
        label="Role"
        value={role}
        onChange={({ target }) => setRole(roleNames.find((name) => name === target.value) ?? role)}
        hint={roleSentence(role)}
      >
        {roleNames.map((name) => (
          <option key={name} value={name}>
            {roles[name].title}
          </option>
        ))}
      </Select>
    </FormDialog>
  )
}
