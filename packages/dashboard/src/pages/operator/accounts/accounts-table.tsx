import { plans } from '@masthead/contract/plans.ts'
import type { OperatorAccount } from '@masthead/contract/schemas/operator.ts'
import { useState } from 'react'
import { RowAction } from '../../../ui/row-action.tsx'
import { Cell, Row, Table } from '../../../ui/table.tsx'
import { Time } from '../../../ui/time.tsx'
import { ChangePlan } from './change-plan.tsx'
import { domainsWords } from './plan-summary.ts'

const columns = ['Account', 'Plan', 'Projects', 'Domains', 'Members', 'Requests', '']

export function AccountsTable({ accounts }: { accounts: readonly OperatorAccount[] }) {
  const [changing, setChanging] = useState<OperatorAccount | null>(null)
  return (
    <>
      <Table label="Accounts" columns={columns}>
        {accounts.map((account) => (
          <AccountRow key={account.id} account={account} onChange={() => setChanging(account)} />
        ))}
      </Table>
      {changing !== null && <ChangePlan account={changing} onClose={() => setChanging(null)} />}
    </>
  )
}

function AccountRow({ account, onChange }: { account: OperatorAccount; onChange: () => void }) {
  const { name, plan, limits, projects, domains, members, usedToday, createdAt } = account
  return (
    <Row>
      <Cell>
        <span className="font-medium">{name}</span>
        <span className="block text-small text-soft lg:whitespace-nowrap">
          created <Time at={createdAt} />
        </span>
      </Cell>
      <Cell of="Plan">
        {plans[plan].title}
        <span className="block text-small text-soft">
          <span className="whitespace-nowrap">{limits.perMinute.toLocaleString('en')} a minute,</span>{' '}
          <span className="whitespace-nowrap">{limits.perDay.toLocaleString('en')} a day</span>
          {limits.domainsPerProject !== 0 && (
            <>
              , <span className="whitespace-nowrap">{domainsWords(limits.domainsPerProject)}</span>
            </>
          )}
        </span>
      </Cell>
      <Cell of="Projects">{projects.toLocaleString('en')}</Cell>
      <Cell of="Domains">{domains.toLocaleString('en')}</Cell>
      <Cell of="Members">{members.toLocaleString('en')}</Cell>
      <Cell of="Requests" oneLine>
        {usedToday.toLocaleString('en')} today
      </Cell>
      <Cell end oneLine>
        <RowAction harmless label={`Change plan of ${name}`} onClick={onChange}>
          Change plan
        </RowAction>
      </Cell>
    </Row>
  )
}
