import type { Invitation } from '@masthead/contract/schemas/people.ts'
import { roles } from '@masthead/contract/scopes.ts'
import { useState } from 'react'
import { useInvitations } from '../../data/people.ts'
import { Loaded } from '../../loaded.tsx'
import { ShowMore } from '../../show-more.tsx'
import { RowAction } from '../../ui/row-action.tsx'
import { Section } from '../../ui/section.tsx'
import { Cell, Row, Table } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { TakeBackInvitation } from './take-back-invitation.tsx'

export function OpenInvitations() {
  const list = useInvitations()
  const [takingBack, setTakingBack] = useState<Invitation | null>(null)
  return (
    <Section title="Open invitations">
      <Loaded query={list}>
        {(invitations) =>
          invitations.length === 0 ? (
            <p className="text-soft">
              Nobody is invited at the moment. An invitation is a link that you send yourself.
            </p>
          ) : (
            <>
              <Table label="Open invitations" columns={['Email', 'Role', 'Invited', 'Expires', '']}>
                {invitations.map((invitation) => (
                  <Row key={invitation.id}>
                    <Cell>
                      <span className="font-medium">{invitation.email}</span>
                      <span className="block text-small text-soft">invited by {invitation.invitedBy}</span>
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
                        label={`Take back the invitation of ${invitation.email}`}
                        onClick={() => setTakingBack(invitation)}
                      >
                        Take back
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
      {takingBack !== null && (
        <TakeBackInvitation invitation={takingBack} onClose={() => setTakingBack(null)} />
      )}
    </Section>
  )
}
