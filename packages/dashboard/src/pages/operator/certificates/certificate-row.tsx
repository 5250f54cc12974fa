import type { OperatorCertificate } from '@masthead/contract/schemas/operator.ts'
import { Link } from 'react-router'
import { unicodeHostname } from '../../../activity/unicode-hostname.ts'
import { usePersonSession } from '../../../layout/signed-in.tsx'
import { paths } from '../../../paths.ts'
import { Badge } from '../../../ui/badge.tsx'
import { Status } from '../../../ui/status.tsx'
import { Time } from '../../../ui/time.tsx'
import { AccountLink } from '../account-link.tsx'
import { certificateState } from './certificate-state.ts'
import { Failure } from './failure.tsx'

export function CertificateRow({ certificate }: { certificate: OperatorCertificate }) {
  const { hostname, issuer, notAfter, renewsAt, lastError, nextAttemptAt } = certificate
  const { tone, word } = certificateState(certificate, Date.now())
  return (
    <li className="py-4.5">
      <div className="grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-6 gap-y-1">
        <h2 className="font-sans text-name font-medium tracking-normal wrap-anywhere">
          {unicodeHostname(hostname)}
        </h2>
        <Status tone={tone}>{word}</Status>
      </div>
      <p className="mt-1 text-small text-soft">
        <Owner certificate={certificate} />
        {issuer !== null && <> · by {issuer}</>}
        {notAfter !== null && (
          <>
            {' · ends '}
            <Time at={notAfter} kind="future" />
          </>
        )}
        {renewsAt !== null && lastError === null && (
          <>
            {' · renews by itself '}
            <Time at={renewsAt} kind="future" />
          </>
        )}
      </p>
      {lastError !== null && <Failure error={lastError} nextAttemptAt={nextAttemptAt} tone={tone} />}
    </li>
  )
}

/** Whose name it is. The pages of accounts that they belong to can be opened from here. */
function Owner({ certificate }: { certificate: OperatorCertificate }) {
  const { hostname, accountId, accountName, projectSlug } = certificate
  const { accounts } = usePersonSession()
  if (accountName === null) return <Badge>Platform</Badge>
  if (projectSlug === null) return <AccountLink name={accountName} />
  return (
    <>
      <AccountLink name={accountName} /> /{' '}
      {accounts.some(({ id }) => id === accountId) ? (
        <Link to={paths.domain(projectSlug, hostname)} className="link">
          {projectSlug}
        </Link>
      ) : (
        projectSlug
      )}
    </>
  )
}
