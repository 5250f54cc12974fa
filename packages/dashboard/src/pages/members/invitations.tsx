import type { Invitation } from '@masthead/contract/schemas/people.ts'
import { type Role, roleNames, roles } from '@masthead/contract/scopes.ts'
import { useState } from 'react'
import { Confirm } from '../../confirm.tsx'
import { type InvitationWithLink, useInvitations, useInvite, useRevokeInvitation } from '../../data/people.ts'
import { FormDialog } from '../../form/form-dialog.tsx'
import { Loaded, ShowMore } from '../../loaded.tsx'
import { InvitationLink } from '../../one-time-secret.tsx'
import { RowAction } from '../../ui/button.tsx'
import { Field, Select } from '../../ui/field.tsx'
import { focusPage } from '../../ui/focus.tsx'
import { useToast } from '../../ui/notices.tsx'
import { Section } from '../../ui/page.tsx'
import { roleSentence } from '../../ui/role-words.ts'
import { Cell, Row, Table } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'

export function PendingInvitations() {
  const list = useInvitations()
  const [revoking, setRevoking] = useState<Invitation | null>(null)
  return (
    <Section title="Pending invitations">
      <Loaded query={list}>
        {(invitations) =>
          invitations.length === 0 ? (
            <p className="text-soft">
              No pending invitations. An invitation is a link that you send yourself.
            </p>
          ) : (
            <>
              <Table label="Pending invitations" columns={['Email', 'Role', 'Invited', 'Expires', '']}>
                {invitations.map((invitation) => (
                  <Row key={invitation.id}>
                    <Cell>
                      <span className="font-medium">{invitation.email}</span>
                      <span className="block text-small text-soft">
                        invited by <bdi>{invitation.invitedBy}</bdi>
                      </span>
                    </Cell>
                    <Cell of="Role" oneLine>
                      {roles[invitation.role].title}
                    </Cell>
                    <Cell of="Invited" oneLine>
                      <Time at={invitation.createdAt} />
                    </Cell>
                    <Cell of="Expires" oneLine>
                      <Time at={invitation.expiresAt} kind="future" />
                    </Cell>
                    <Cell end oneLine>
                      <RowAction
                        label={`Revoke the invitation for ${invitation.email}`}
                        onClick={() => setRevoking(invitation)}
                      >
                        Revoke
                      </RowAction>
                    </Cell>
                  </Row>
                ))}
              </Table>
              <ShowMore list={list} />
            </>
          )
        }
      </Loaded>
      {revoking !== null && <RevokeInvitation invitation={revoking} onClose={() => setRevoking(null)} />}
    </Section>
  )
}

export function InvitePerson({ onClose }: { onClose: () => void }) {
  const invite = useInvite()
  const [role, setRole] = useState<Role>('developer')
  const [invited, setInvited] = useState<InvitationWithLink | null>(null)
  if (invited !== null) return <InvitationLink invitation={invited} onDone={onClose} />
  return (
    <FormDialog
      title="Invite member"
      onClose={onClose}
      submit="Create link"
      submitting="Creating…"
      onSubmit={async ({ email = '' }) => setInvited(await invite.mutateAsync({ email, role }))}
    >
      <Field
        name="email"
        type="email"
        label="Email"
        required
        maxLength={254}
        autoComplete="off"
        hint="They will sign in with this address. We don't send email: you get a link to pass on."
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

interface RevokeInvitationProps {
  invitation: Invitation
  onClose: () => void
}

function RevokeInvitation({ invitation: { id, email }, onClose }: RevokeInvitationProps) {
  const revoke = useRevokeInvitation()
  const say = useToast()
  return (
    <Confirm
      title="Revoke this invitation?"
      action="Revoke invitation"
      acting="Revoking…"
      onClose={onClose}
      onConfirm={async () => {
        await revoke.mutateAsync(id)
        onClose()
        focusPage()
        say({ words: `The invitation for ${email} was revoked.` })
      }}
    >
      <p>The link for {email} stops working. You can invite them again with a new link.</p>
    </Confirm>
  )
}
