import type { Member } from '@masthead/contract/schemas/people.ts'
import { roles } from '@masthead/contract/scopes.ts'
import { useState } from 'react'
import { Confirm } from '../../confirm.tsx'
import { useRemoveMember, useResetPassword } from '../../data/people.ts'
import { useSignedIn } from '../../layout/signed-in.tsx'
import { ResetLink } from '../../one-time-secret.tsx'
import { RowAction } from '../../ui/button.tsx'
import { focusPage } from '../../ui/focus.tsx'
import { useToast } from '../../ui/notices.tsx'
import { Badge } from '../../ui/status.tsx'
import { Cell, Row, Table } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { LeaveAccount } from '../person/accounts.tsx'
import { endedWords } from './ended-words.ts'
import { KeepWhatTheyCreated, RoleChoice } from './roles.tsx'

export function PeopleTable({ members, manage }: { members: readonly Member[]; manage: boolean }) {
  const { person: me, account, accounts } = useSignedIn()
  const reset = useResetPassword()
  const [resetting, setResetting] = useState<Member | null>(null)
  const [removing, setRemoving] = useState<Member | null>(null)
  return (
    <>
      <Table label="People" columns={['Person', 'Role', 'Joined', '']}>
        {members.map((member) => {
          const { person, role, joinedAt } = member
          const isMe = person.id === me.id
          return (
            <Row key={person.id}>
              <Cell>
                <bdi className="font-medium">{person.name}</bdi> {isMe && <Badge>You</Badge>}
                <span className="block text-small text-soft">{person.email}</span>
              </Cell>
              <Cell of="Role">{manage ? <RoleChoice member={member} isMe={isMe} /> : roles[role].title}</Cell>
              <Cell of="Joined" oneLine>
                <Time at={joinedAt} />
              </Cell>
              {(manage || isMe) && (
                <Cell end oneLine>
                  {!isMe && (
                    <span className="mr-4">
                      <RowAction
                        harmless
                        label={`Reset ${person.name}'s password`}
                        onClick={() => setResetting(member)}
                      >
                        Reset password
                      </RowAction>
                    </span>
                  )}
                  <RowAction
                    label={isMe ? 'Leave account' : `Remove ${person.name}`}
                    onClick={() => setRemoving(member)}
                  >
                    {isMe ? 'Leave' : 'Remove'}
                  </RowAction>
                </Cell>
              )}
            </Row>
          )
        })}
      </Table>
      {removing !== null &&
        (removing.person.id === me.id ? (
          <LeaveAccount
            account={account}
            role={removing.role}
            isOnly={accounts.length === 1}
            onClose={() => setRemoving(null)}
          />
        ) : (
          <RemovePerson person={removing.person} onClose={() => setRemoving(null)} />
        ))}
      {resetting !== null && (
        <ResetLink
          name={resetting.person.name}
          create={() => reset.mutateAsync(resetting.person.id)}
          onClose={() => setResetting(null)}
        />
      )}
    </>
  )
}

function RemovePerson({ person, onClose }: { person: Member['person']; onClose: () => void }) {
  const { account } = useSignedIn()
  const remove = useRemoveMember()
  const say = useToast()
  const [keepsKeys, setKeepsKeys] = useState(false)
  return (
    <Confirm
      title={`Remove ${person.name}?`}
      action="Remove member"
      acting="Removing…"
      onClose={onClose}
      onConfirm={async () => {
        const keys = keepsKeys ? 'keep' : 'revoke'
        const ended = await remove.mutateAsync({ person: person.id, keys })
        onClose()
        focusPage()
        const words = `${person.name} was removed from ${account.name}${endedWords(ended)}.`
        say({ words, of: person.id })
      }}
    >
      <p>
        {person.email} loses access to <bdi>{account.name}</bdi>, and their CLI logins stop working. What they
        published stays. You can invite them again.
      </p>
      <p className="mt-3">
        API keys they created and invitations they sent are revoked too, because they know them. Pipelines
        they trusted and webhooks they added are removed, because they may control them. Passwords of
        protected sites stay as they are: change those they know.
      </p>
      <KeepWhatTheyCreated checked={keepsKeys} onChange={setKeepsKeys} />
    </Confirm>
  )
}
