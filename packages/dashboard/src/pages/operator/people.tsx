import type { OperatorPerson } from '@masthead/contract/schemas/operator.ts'
import { useState } from 'react'
import { useOperatorPeople, useResetPasswordOf } from '../../data/operator.ts'
import { usePersonSession } from '../../layout/signed-in.tsx'
import { Loaded, ShowMore } from '../../loaded.tsx'
import { ResetLink } from '../../one-time-secret.tsx'
import { RowAction } from '../../ui/button.tsx'
import { SearchField } from '../../ui/field.tsx'
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
    </Page>
  )
}
