import type { Id } from '@masthead/contract/schemas/fields.ts'
import { QueryClientProvider } from '@tanstack/react-query'
import { type ReactNode, useEffect, useState } from 'react'
import { client, clientOf } from '../api/client.ts'
import { LiveUpdates } from '../api/live-updates.tsx'
import { personQueries, queriesOf, sessionKey } from '../api/queries.ts'
import { useSession } from '../api/session.ts'
import { ClientContext } from '../api/use-client.ts'
import { NotFoundPage, Waiting } from './front-page.tsx'
import { MemberContext, usePersonSession } from './signed-in.tsx'
import { SuspendedPage } from './without-account.tsx'

/**
 * Everything inside uses the client and the cache of this account, and remounts for another one. People who are not
 * members get "Page not found".
 */
export function AccountScope({ account: id, children }: { account: string; children: ReactNode }) {
  const session = usePersonSession()
  const account = session.accounts.find((each) => each.id === id)
  const isRefetched = useFreshAccounts(account === undefined ? id : null)
  const isSignedOut = useSession().data === null
  useDefaultAccount(account?.id)

  if (account === undefined) return isRefetched ? <NotFoundPage /> : <Waiting />
  const member = { ...session, account, role: account.role }
  if (account.suspension !== null) return <SuspendedPage member={member} />
  return (
    <ClientContext key={account.id} value={clientOf(account.id)}>
      <QueryClientProvider client={queriesOf(account.id)}>
        <MemberContext value={member}>
          {!isSignedOut && <LiveUpdates account={account.id} />}
          {children}
        </MemberContext>
      </QueryClientProvider>
    </ClientContext>
  )
}

/** For pages about the person or the server: the account opened last, if there is one. */
export function DefaultAccountScope({ children }: { children: ReactNode }) {
  const { account } = usePersonSession()
  // Another tab may switch accounts, which should not remount this page.
  const [id] = useState(account?.suspension === null ? account.id : null)
  return id === null ? children : <AccountScope account={id}>{children}</AccountScope>
}

/** Refetches the session once if an account is missing: the person may have just joined it. True when done. */
function useFreshAccounts(missing: string | null): boolean {
  const { refetch } = useSession()
  const [read, setRead] = useState<string | null>(null)
  useEffect(() => {
    if (missing !== null) void refetch().finally(() => setRead(missing))
  }, [missing, refetch])
  return read === missing
}

/** Tells the server which account was opened last. */
function useDefaultAccount(opened: Id<'account'> | undefined): void {
  const known = useSession().data?.account?.id
  useEffect(() => {
    if (opened === undefined || known === undefined || opened === known) return
    client.setDefaultAccount({ body: { accountId: opened } }).then(
      (session) => personQueries.setQueryData(sessionKey, session),
      // It only decides which account opens next time.
      () => {},
    )
  }, [opened, known])
}
