import { Outlet } from 'react-router'
import { usePersonSession } from './signed-in.tsx'
import { NoAccountPage } from './without-account.tsx'

/** Around the pages that act in an account: whoever has none is told what to do instead. */
export function InAccount() {
  return usePersonSession().accounts.length === 0 ? <NoAccountPage /> : <Outlet />
}
