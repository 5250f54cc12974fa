import { Navigate, useLocation } from 'react-router'
import { paths } from '../paths.ts'
import { usePersonSession } from './signed-in.tsx'

/** Addresses that name no account, as links and bookmarks from before have them. */
export const pathsWithoutAccount = [
  paths.home(),
  '/new',
  '/keys',
  '/usage',
  '/activity',
  '/members',
  '/plan',
] as const

/** Leads to the same page of the account that was opened last. */
export function ToDefaultAccount() {
  const { account, accounts } = usePersonSession()
  const id = account?.id ?? accounts[0]?.id ?? ''
  const { pathname, search, hash } = useLocation()
  const page = pathname === paths.home() ? '' : pathname
  return <Navigate to={paths.projects(id) + page + search + hash} replace />
}
