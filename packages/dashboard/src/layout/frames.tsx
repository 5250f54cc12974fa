import type { ReactNode } from 'react'
import { useParams } from 'react-router'
import { paths } from '../paths.ts'
import { Tabs } from '../ui/navigation.tsx'
import { TitleContext } from '../ui/page.tsx'
import { AccountScope, DefaultAccountScope } from './account-scope.tsx'
import { AppHeader } from './app-header.tsx'
import { NotFoundPage } from './front-page.tsx'
import { FramedOutlet } from './part-boundary.tsx'
import { usePersonSession, useSignedIn } from './signed-in.tsx'

export function AccountFrame() {
  const { account = '' } = useParams()
  const tabs = [
    { to: paths.projects(account), label: 'Projects', exact: true },
    { to: paths.proofs(account), label: 'Proved domains' },
    { to: paths.keys(account), label: 'API keys' },
    { to: paths.webhooks(account), label: 'Webhooks' },
    { to: paths.usage(account), label: 'Usage' },
    { to: paths.activity(account), label: 'Activity' },
    { to: paths.members(account), label: 'Members' },
    { to: paths.plan(account), label: 'Plan' },
  ]
  return (
    <AccountScope account={account}>
      <AppHeader />
      <Tabs label="Account" tabs={tabs} />
      <AccountTitle>
        <FramedOutlet />
      </AccountTitle>
    </AccountScope>
  )
}

function AccountTitle({ children }: { children: ReactNode }) {
  return <TitleContext value={useSignedIn().account.name}>{children}</TitleContext>
}

export function PersonFrame() {
  return (
    <DefaultAccountScope>
      <AppHeader title="Your profile" />
      <FramedOutlet />
    </DefaultAccountScope>
  )
}

const tabs = [
  { to: paths.operatorAccounts(), label: 'Accounts', exact: true },
  { to: paths.operatorSites(), label: 'Sites' },
  { to: paths.operatorPeople(), label: 'People' },
  { to: paths.operatorBans(), label: 'Bans' },
  { to: paths.operatorCertificates(), label: 'Certificates' },
  { to: paths.operatorHealth(), label: 'Health' },
]

/** Other people get "Page not found", so they don't learn that these pages exist. */
export function OperatorFrame() {
  if (!usePersonSession().person.operator) return <NotFoundPage />
  return (
    <DefaultAccountScope>
      <AppHeader title="Operator" />
      <Tabs label="Operator" tabs={tabs} />
      <FramedOutlet />
    </DefaultAccountScope>
  )
}
