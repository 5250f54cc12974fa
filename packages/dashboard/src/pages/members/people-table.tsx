import type { Member } from '@masthead/contract/schemas/people.ts'
import { roles } from '@masthead/contract/scopes.ts'
import { useState } from 'react'
import { useSignedIn } from '../../layout/signed-in.tsx'
import { Badge } from '../../ui/badge.tsx'
import { RowAction } from '../../ui/row-action.tsx'
import { Cell, Row, Table } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { LeaveAccount } from './leave-account.tsx'
import { RemovePerson } from './remove-person.tsx'
import { RoleChoice } from './role-choice.tsx'

export function PeopleTable({ members, manage }: { members: readonly Member[]; manage: boolean }) {
  const { person: me } = useSignedIn()
  const [removing, setRemoving] = useState<Member | null>(null)
  return (
    <>
      <Table label="People" columns={['Person', 'Role', 'Joined', ...(manage ? [''] : [])]}>
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
              {manage && (
                <Cell end oneLine>
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
          <LeaveAccount onClose={() => setRemoving(null)} />
        ) : (
          <RemovePerson person={removing.person} onClose={() => setRemoving(null)} />
        ))}
    </>
  )
}
