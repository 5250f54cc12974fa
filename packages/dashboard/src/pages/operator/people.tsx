import type { OperatorPerson } from '@masthead/contract/schemas/operator.ts'
import { useState } from 'react'
import { Confirm } from '../../confirm.tsx'
import { useChangeOperator, useOperatorPeople, useResetPasswordOf } from '../../data/operator.ts'
import { usePersonSession } from '../../layout/signed-in.tsx'
import { Loaded, ShowMore } from '../../loaded.tsx'
import { ResetLink } from '../../one-time-secret.tsx'
import { RowAction } from '../../ui/button.tsx'
import { SearchField } from '../../ui/field.tsx'
import { useToast } from '../../ui/notices.tsx'
import { Empty, Page } from '../../ui/page.tsx'
import { Badge } from '../../ui/status.tsx'
import { Cell, Row, Table } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { useUrlFilter } from '../../ui/url-state.ts'

export function OperatorPeoplePage() {
  const { chosen, choose } = useUrlFilter()
  const search = chosen('search')?.trim() ?? ''
  const list = useOperatorPeople(search)
  const reset = useResetPasswordOf()
  const { person: me } = usePersonSession()
  const [resetting, setResetting] = useState<OperatorPerson | null>(null)
  const [changing, setChanging] = useState<OperatorPerson | null>(null)
  return (
    <Page title="People" intro="Everyone who can sign in to this server, and their accounts.">
      <SearchField
        label="Search people"
        placeholder="Search by name or email"
        value={search}
        onSearch={(text) => choose('search', text)}
      />
      <Loaded query={list}>
        {(people) =>
          people.length === 0 ? (
            <Empty title="No matching people">Search by part of a name or email address.</Empty>
          ) : (
            <>
              <Table label="People" columns={['Person', 'Accounts', 'Joined', '']}>
                {people.map((person) => (
                  <Row key={person.id}>
                    <Cell>
                      <bdi className="font-medium">{person.name}</bdi>{' '}
                      {person.operator && <Badge>Operator</Badge>}
                      <span className="block text-small text-soft">{person.email}</span>
                    </Cell>
                    <Cell of="Accounts">{person.accounts.map(({ name }) => name).join(', ') || 'None'}</Cell>
                    <Cell of="Joined" oneLine>
                      <Time at={person.createdAt} />
                    </Cell>
                    <Cell end oneLine>
                      {person.id !== me.id && (
                        <RowAction
                          harmless
                          label={`Reset ${person.name}'s password`}
                          onClick={() => setResetting(person)}
                        >
                          Reset password
                        </RowAction>
                      )}
                      <span className="ml-4 inline-block md:ml-0 md:block">
                        {person.id !== me.id && (
                          <RowAction
                            harmless={!person.operator}
                            label={`${person.operator ? 'End operator role' : 'Make operator'}: ${person.name}`}
                            onClick={() => setChanging(person)}
                          >
                            {person.operator ? 'End operator role' : 'Make operator'}
                          </RowAction>
                        )}
                      </span>
                    </Cell>
                  </Row>
                ))}
              </Table>
              <ShowMore list={list} />
            </>
          )
        }
      </Loaded>
      {resetting !== null && (
        <ResetLink
          name={resetting.name}
          create={() => reset.mutateAsync(resetting.id)}
          onClose={() => setResetting(null)}
        />
      )}
      {changing !== null && <ChangeOperator person={changing} onClose={() => setChanging(null)} />}
    </Page>
  )
}

interface ChangeOperatorProps {
  person: OperatorPerson
  onClose: () => void
}

function ChangeOperator({ person: { id, name, email, operator }, onClose }: ChangeOperatorProps) {
  const change = useChangeOperator(id)
  const say = useToast()
  return (
    <Confirm
      title={operator ? `End ${name}'s role as operator?` : `Make ${name} an operator?`}
      action={operator ? 'End role' : 'Make operator'}
      acting="Changing…"
      onClose={onClose}
      onConfirm={async () => {
        await change.mutateAsync(!operator)
        onClose()
        say({ words: `${name} is ${operator ? 'no longer' : 'now'} an operator.` })
      }}
    >
      <p>
        {operator
          ? `${email} can no longer manage this server. The owner invitations they sent stop working, and so do all password reset links from operators. If they know the operator key, replace it too.`
          : `${email} will be able to manage all accounts, sites and people of this server, and reset any password.`}
      </p>
    </Confirm>
  )
}
