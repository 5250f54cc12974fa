import type { Session } from '@masthead/contract/schemas/people.ts'
import type { ReactNode } from 'react'
import { Navigate, useLocation } from 'react-router'
import { paths } from '../paths.ts'
import { ProblemNotice } from '../problem-notice.tsx'
import { useSession } from '../session.ts'
import { Button } from '../ui/button.tsx'
import { FrontPage } from './front-page.tsx'
import { Waiting } from './waiting.tsx'

/** Shows a page to somebody who is signed in; everybody else signs in first and comes back. */
export function SignedIn({ children }: { children: (session: Session) => ReactNode }) {
  const { data: session, error, isFetching, refetch } = useSession()
  const { pathname, search, hash } = useLocation()
  if (session) return children(session)
  if (session === null) return <Navigate to={paths.signIn(pathname + search + hash)} replace />
  if (error === null) return <Waiting />
  return (
    <FrontPage title="The dashboard cannot be shown">
      <ProblemNotice error={error}>
        <Button pending={isFetching && 'Trying again…'} onClick={() => refetch()}>
          Try again
        </Button>
      </ProblemNotice>
    </FrontPage>
  )
}
