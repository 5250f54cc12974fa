import type { Id } from '@masthead/contract/schemas/fields.ts'
import type { PersonDetails } from '@masthead/contract/schemas/people.ts'
import { type Role, roles } from '@masthead/contract/scopes.ts'
import { useState } from 'react'
import { Link } from 'react-router'
import { Confirm } from '../../confirm.tsx'
import { useLeaveAccount } from '../../data/person.ts'
import { paths } from '../../paths.ts'
import { RowAction } from '../../ui/button.tsx'
import { Section } from '../../ui/page.tsx'
import { Cell, Row, Table } from '../../ui/table.tsx'

type Membership = PersonDetails['accounts'][number]

export function PersonAccounts({ accounts }: { accounts: readonly Membership[] }) {
  const [leaving, setLeaving] = useState<Membership | null>(null)
  return (
    <Section title="Accounts">
      {accounts.length === 0 ? (
        <p className="max-w-[60ch] text-soft">
          You are not a member of any account. Ask an account owner to invite you, then open the link they
          send.
        </p>
      ) : (
        <Table label="Accounts" columns={['Account', 'Role', '']}>
          {accounts.map((account) => (
            <Row key={account.id}>
              <Cell>
                <Link to={paths.projects(account.id)} className="link font-medium">
                  <bdi>{account.name}</bdi>
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
        <LeaveAccount
          account={leaving}
          role={leaving.role}
          isOnly={accounts.length === 1}
          onClose={() => setLeaving(null)}
        />
      )}
    </Section>
  )
}

interface LeaveAccountProps {
  account: { id: Id<'account'>; name: string }
  role: Role
  isOnly: boolean
  onClose: () => void
}

export function LeaveAccount({ account: { id, name }, role, isOnly, onClose }: LeaveAccountProps) {
  const leave = useLeaveAccount()
  return (
    <Confirm
      title={`Leave ${name}?`}
      action="Leave account"
      acting="Leaving…"
      onClose={onClose}
      onConfirm={async () => {
        await leave.mutateAsync(id)
        // A full reload, so that nothing of the account stays in memory.
        location.assign(paths.home())
      }}
    >
      <p>
        You lose access to <bdi>{name}</bdi>. Your CLI logins there stop working, API keys you created and
        invitations you sent are revoked, and pipelines you trusted and webhooks you added are removed.{' '}
        {isOnly
          ? 'This is your only account: you can still sign in, but you need an invitation to do anything else.'
          : 'Your other accounts are not affected.'}
      </p>
      {role === 'owner' && (
        <p className="mt-3">
          If programs still use your keys, pipelines or webhooks, ask another owner to remove you instead, and
          to keep them.
        </p>
      )}
    </Confirm>
  )
}
