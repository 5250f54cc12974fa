import { Suspense } from 'react'
import { Outlet } from 'react-router'
import { NotFoundPage } from '../pages/not-found.tsx'
import { paths } from '../paths.ts'
import { Tabs } from '../ui/tabs.tsx'
import { DefaultAccountScope } from './account-scope.tsx'
import { AppHeader } from './app-header.tsx'
import { usePersonSession } from './signed-in.tsx'
import { PageWaiting } from './waiting.tsx'

const tabs = [
  { to: paths.operatorAccounts(), label: 'Accounts', exact: true },
  { to: paths.operatorSites(), label: 'Sites' },
  { to: paths.operatorPeople(), label: 'People' },
  { to: paths.operatorBans(), label: 'Bans' },
  { to: paths.operatorCertificates(), label: 'Certificates' },
  { to: paths.operatorHealth(), label: 'Health' },
]

/** Around the pages for whoever runs this server; nobody else is shown that they exist. */
export function OperatorFrame() {
  if (!usePersonSession().person.operator) return <NotFoundPage />
  return (
    <DefaultAccountScope>
      <AppHeader place="Operator" />
      <Tabs label="Operator" tabs={tabs} />
      <Suspense fallback={<PageWaiting />}>
        <Outlet />
      </Suspense>
    </DefaultAccountScope>
  )
}
