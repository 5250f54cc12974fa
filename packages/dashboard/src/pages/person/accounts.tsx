import type { PersonDetails } from '@masthead/contract/schemas/people.ts'
import { roles } from '@masthead/contract/scopes.ts'
import { useState } from 'react'
import { Link } from 'react-router'
import { paths } from '../../paths.ts'
import { RowAction } from '../../ui/row-action.tsx'
import { Section } from '../../ui/section.tsx'
import { Cell, Row, Table } from '../../ui/table.tsx'
import { LeaveAccount } from './leave-account.tsx'

type Membership = PersonDetails['accounts'][number]

/** The accounts of the person, with the way out of each. */
export function PersonAccounts({ accounts }: { accounts: readonly Membership[] }) {
  const [leaving, setLeaving] = useState<Membership | null>(null)
  return (
    <Section title="Accounts">
      {accounts.length === 0 ? (
        <p className="max-w-[60ch] text-soft">
          You belong to no account. Ask an owner of one to invite you, then open the link that they send.
        </p>
      ) : (
        <Table label="Accounts" columns={['Account', 'Role', '']}>
          {accounts.map((account) => (
            <Row key={account.id}>
              <Cell>
                <Link to={paths.projects(account.id)} className="link font-medium">
                  {account.name}
                </Link>
                {account.suspension !== null && (
                  <span className="block text-small text-stopped">Suspended</span>
                )}
              </Cell>
              <Cell of="Role">{roles[account.role].title}</Cell>
              <Cell end oneLine>
                <RowAction label={`Leave ${account.name}`} onClick={() => setLeaving(account)}>
                  Leave
                </RowAction>
              </Cell>
            </Row>
          ))}
        </Table>
      )}
      {leaving !== null && (
        <LeaveAccount account={leaving} isOnly={accounts.length === 1} onClose={() => setLeaving(null)} />
      )}
    </Section>
  )
}
