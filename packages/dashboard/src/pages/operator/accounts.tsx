import { useState } from 'react'
import { useOperatorAccounts } from '../../data/operator.ts'
import { Loaded, ShowMore } from '../../loaded.tsx'
import { Button } from '../../ui/button.tsx'
import { SearchField } from '../../ui/field.tsx'
import { Empty, Page } from '../../ui/page.tsx'
import { useUrlFilter } from '../../ui/url-state.ts'
import { AccountsTable } from './accounts/accounts-table.tsx'
import { NewAccount } from './accounts/new-account.tsx'

export function OperatorAccountsPage() {
  const { chosen, choose } = useUrlFilter()
  const search = chosen('search')?.trim() ?? ''
  const [creating, setCreating] = useState(false)
  const list = useOperatorAccounts(search)
  return (
    <Page
      title="Accounts"
      intro="All accounts on this server and their plans."
      aside={
        <Button look="primary" onClick={() => setCreating(true)}>
          Create account
        </Button>
      }
    >
      <SearchField
        label="Search accounts"
        placeholder="Search by name"
        value={search}
        onSearch={(text) => choose('search', text)}
      />
      <Loaded query={list}>
        {(accounts) =>
          accounts.length === 0 ? (
            <Empty title={search === '' ? 'No accounts yet' : 'No matching accounts'}>
              {search === '' ? (
                'Create one for each team or customer. It comes with a plan and an API key.'
              ) : (
                <Button className="mt-3 text-ink" onClick={() => choose('search', '')}>
                  Show all accounts
                </Button>
              )}
            </Empty>
          ) : (
            <>
              <AccountsTable accounts={accounts} />
              <ShowMore list={list} />
            </>
          )
        }
      </Loaded>
      {creating && <NewAccount onClose={() => setCreating(false)} />}
    </Page>
  )
}
