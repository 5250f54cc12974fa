import type { Member } from '@masthead/contract/schemas/people.ts'
import { roles } from '@masthead/contract/scopes.ts'
import { useState } from 'react'
import { useResetPassword } from '../../data/people.ts'
import { useSignedIn } from '../../layout/signed-in.tsx'
import { ResetLink } from '../../reset-link.tsx'
import { Badge } from '../../ui/badge.tsx'
import { RowAction } from '../../ui/row-action.tsx'
import { Cell, Row, Table } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { LeaveAccount } from '../person/leave-account.tsx'
import { RemovePerson } from './remove-person.tsx'
import { RoleChoice } from './role-choice.tsx'

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
                <span className="font-medium">{person.name}</span> {isMe && <Badge>You</Badge>}
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
                        label={`Reset the password of ${person.name}`}
                        onClick={() => setResetting(member)}
                      >
                        Reset password
                      </RowAction>
                    </span>
                  )}
                  <RowAction
                    label={isMe ? 'Leave the account' : `Remove ${person.name}`}
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
          <LeaveAccount account={account} isOnly={accounts.length === 1} onClose={() => setRemoving(null)} />
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
