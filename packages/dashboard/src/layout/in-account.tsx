import { Outlet } from 'react-router'
import { isMemberSession } from '../session.ts'
import { usePersonSession } from './signed-in.tsx'
import { NoAccountPage, SuspendedPage } from './without-account.tsx'

/** Around the pages that act in an account: whoever has none, or a suspended one, is told what to do instead. */
export function InAccount() {
  const session = usePersonSession()
  if (!isMemberSession(session)) return <NoAccountPage />
  if (session.account.suspension !== null) return <SuspendedPage session={session} />
  return <Outlet />
}
