import { type ReactNode, Suspense } from 'react'
import { Outlet, useParams } from 'react-router'
import { paths } from '../paths.ts'
import { TitleContext } from '../ui/page.tsx'
import { Tabs } from '../ui/tabs.tsx'
import { AccountScope } from './account-scope.tsx'
import { AppHeader } from './app-header.tsx'
import { useSignedIn } from './signed-in.tsx'
import { PageWaiting } from './waiting.tsx'

/** Around the pages of an account. */
export function AccountFrame() {
  const { account = '' } = useParams()
  const tabs = [
    { to: paths.projects(account), label: 'Projects', exact: true },
    { to: paths.keys(account), label: 'API keys' },
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
        <Suspense fallback={<PageWaiting />}>
          <Outlet />
        </Suspense>
      </AccountTitle>
    </AccountScope>
  )
}

function AccountTitle({ children }: { children: ReactNode }) {
  return <TitleContext value={useSignedIn().account.name}>{children}</TitleContext>
}
