import { roles } from '@masthead/contract/scopes.ts'
import { useQuery } from '@tanstack/react-query'
import { useLocation } from 'react-router'
import { client } from '../api.ts'
import { FrontPage } from '../layout/front-page.tsx'
import { Waiting } from '../layout/waiting.tsx'
import { fragmentValue } from '../paths.ts'
import { ProblemNotice } from '../problem-notice.tsx'
import { useSession } from '../session.ts'
import { Notice } from '../ui/notice.tsx'
import { JoinAsKnown } from './join/as-known.tsx'
import { JoinAsNew } from './join/as-new.tsx'

/** An invitation: what it is for, and the way in for whoever holds the link. */
export function JoinPage() {
  const token = fragmentValue(useLocation().hash)
  const session = useSession()
  const invitation = useQuery({
    queryKey: ['invitation', token],
    queryFn: () => client.lookUpInvitation({ body: { token } }),
    enabled: token !== '',
    staleTime: Number.POSITIVE_INFINITY,
  })

  if (token === '') {
    return (
      <FrontPage title="Invitation">
        <Notice tone="waiting" title="This link is incomplete.">
          Copy the whole link that you were sent, with all that stands after the{' '}
          <code className="font-mono text-small">#</code>.
        </Notice>
      </FrontPage>
    )
  }
  if (invitation.error !== null) {
    return (
      <FrontPage title="Invitation">
        <ProblemNotice error={invitation.error} />
      </FrontPage>
    )
  }
  if (invitation.data === undefined || session.isPending) return <Waiting />

  const { accountName, role, email, personExists } = invitation.data
  return (
    <FrontPage
      title={`Join ${accountName}`}
      lede={`${email} is invited as ${roles[role].title.toLowerCase()}.`}
    >
      {personExists ? (
        <JoinAsKnown token={token} email={email} session={session.data ?? null} />
      ) : (
        <JoinAsNew token={token} email={email} />
      )}
    </FrontPage>
  )
}
