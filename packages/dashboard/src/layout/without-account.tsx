import { useMutation } from '@tanstack/react-query'
import { Link, Navigate, Outlet, useLocation } from 'react-router'
import { type MemberSession, signOut } from '../api/session.ts'
import { paths } from '../paths.ts'
import { ProblemNotice } from '../problem-notice.tsx'
import { Button } from '../ui/button.tsx'
import { Notice } from '../ui/notices.tsx'
import { FrontPage } from './front-page.tsx'
import { AccountSwitcher } from './menus.tsx'
import { usePersonSession } from './signed-in.tsx'

/** For a person who left their last account or was removed from it. */
function NoAccountPage() {
  const { person } = usePersonSession()
  return (
    <FrontPage title="You are not a member of any account" intro={`You are signed in as ${person.email}.`}>
      <p>
        Projects belong to accounts. Ask an account owner to invite {person.email}, then open the link they
        send you. Your name and password stay the same.
      </p>
      <SignOutLinks />
    </FrontPage>
  )
}

export function SuspendedPage({ member }: { member: MemberSession }) {
  const { account, accounts } = member
  return (
    <FrontPage title={`${account.name} is suspended`}>
      <Notice tone="stopped" title={account.suspension?.reason}>
        The operator suspended this account. Its sites and API keys are disabled, but nothing was deleted.
        Contact the operator to restore it.
      </Notice>
      {accounts.length > 1 && (
        <p className="mt-5 flex items-center gap-2 text-soft">
          Switch to another account: <AccountSwitcher member={member} />
        </p>
      )}
      <SignOutLinks />
    </FrontPage>
  )
}

function SignOutLinks() {
  const { person } = usePersonSession()
  const leave = useMutation({ mutationFn: () => signOut() })
  return (
    <>
      <p className="mt-6 flex flex-wrap gap-x-5 gap-y-2">
        <Link to={paths.person()} className="link">
          Your profile
        </Link>
        {person.operator && (
          <Link to={paths.operatorAccounts()} className="link">
            Operator
          </Link>
        )}
      </p>
      {leave.error !== null && <ProblemNotice error={leave.error} />}
      <div className="mt-6">
        <Button pending={leave.isPending && 'Signing out…'} onClick={() => leave.mutate()}>
          Sign out
        </Button>
      </div>
    </>
  )
}

export function RequireAccount() {
  return usePersonSession().accounts.length === 0 ? <NoAccountPage /> : <Outlet />
}

/** Old links and bookmarks name no account. */
export const pathsWithoutAccount = [
  paths.home(),
  '/new',
  '/proofs',
  '/keys',
  '/webhooks',
  '/usage',
  '/activity',
  '/members',
  '/plan',
] as const

/** The same page of the account that was opened last. */
export function RedirectToDefaultAccount() {
  const { account, accounts } = usePersonSession()
  const id = account?.id ?? accounts[0]?.id ?? ''
  const { pathname, search, hash } = useLocation()
  return <Navigate to={pathInAccount(pathname, id) + search + hash} replace />
}

/** Where one of the `pathsWithoutAccount` leads; any other path as it is. */
export function pathInAccount(path: string, account: string): string {
  if (path === paths.home()) return paths.projects(account)
  return pathsWithoutAccount.some((known) => known === path) ? paths.projects(account) + path : path
}
