import { Suspense } from 'react'
import { Outlet } from 'react-router'
import { paths } from '../paths.ts'
import { Tabs } from '../ui/tabs.tsx'
import { AppHeader } from './app-header.tsx'
import { PageWaiting } from './waiting.tsx'

const tabs = [
  { to: paths.projects(), label: 'Projects', exact: true },
  { to: paths.keys(), label: 'API keys' },
  { to: paths.usage(), label: 'Usage' },
  { to: paths.activity(), label: 'Activity' },
  { to: paths.members(), label: 'Members' },
  { to: paths.plan(), label: 'Plan' },
]

/** Around the pages of an account. */
export function AccountFrame() {
  return (
    <>
      <AppHeader />
      <Tabs label="Account" tabs={tabs} />
      <Suspense fallback={<PageWaiting />}>
        <Outlet />
      </Suspense>
    </>
  )
}
