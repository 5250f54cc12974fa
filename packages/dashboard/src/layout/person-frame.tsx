import { Suspense } from 'react'
import { Outlet } from 'react-router'
import { DefaultAccountScope } from './account-scope.tsx'
import { AppHeader } from './app-header.tsx'
import { PageWaiting } from './waiting.tsx'

/** Around the page about oneself, which is of no account. */
export function PersonFrame() {
  return (
    <DefaultAccountScope>
      <AppHeader place="Your profile" />
      <Suspense fallback={<PageWaiting />}>
        <Outlet />
      </Suspense>
    </DefaultAccountScope>
  )
}
