import type { OperatorCertificate } from '@masthead/contract/schemas/operator.ts'
import { Link } from 'react-router'
import { useCertificates } from '../../data/operator.ts'
import { GuideLink } from '../../guide-link.tsx'
import { usePersonSession } from '../../layout/signed-in.tsx'
import { Loaded, ShowMore } from '../../loaded.tsx'
import { paths } from '../../paths.ts'
import { Checkbox } from '../../ui/choices.tsx'
import { Empty, Page } from '../../ui/page.tsx'
import { Badge, Status } from '../../ui/status.tsx'
import { RuledList } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { useUrlFilter } from '../../ui/url-state.ts'
import { unicodeHostname } from '../../unicode-hostname.ts'
import { AccountLink } from './account-link.tsx'
import { Failure } from './certificate-failure.tsx'
import { certificateState } from './certificate-state.ts'

export function OperatorCertificatesPage() {
  const { chosen, choose } = useUrlFilter()
  const failingOnly = chosen('failing') === 'true'
  const list = useCertificates({ failingOnly })
  return (
    <Page
      title="Certificates"
      intro={
        <>
          All certificates on this server: failing ones first, then by expiry. They renew automatically.
          <GuideLink to="certificates" />
        </>
      }
    >
      <div className="mb-6">
        <Checkbox
          name="failing"
          label="Failing only"
          checked={failingOnly}
          onChange={({ target }) => choose('failing', target.checked ? 'true' : '')}
        />
      </div>
      <Loaded query={list}>
        {(certificates) =>
          certificates.length === 0 ? (
            <NoCertificates failingOnly={failingOnly} />
          ) : (
            <>
              <RuledList label="Certificates">
                {certificates.map((certificate) => (
                  <CertificateRow
                    key={`${certificate.hostname} ${certificate.accountId}`}
                    certificate={certificate}
                  />
                ))}
              </RuledList>
              <ShowMore list={list} />
            </>
          )
        }
      </Loaded>
    </Page>
  )
}

function NoCertificates({ failingOnly }: { failingOnly: boolean }) {
  if (failingOnly) {
    return (
      <Empty title="No failing certificates">
        Certificates whose last attempt failed appear here, with the reason and what to do.
      </Empty>
    )
  }
  return (
    <Empty title="No certificates yet">
      The first one is issued on the first HTTPS visit, or when the first domain is verified.
    </Empty>
  )
}

function CertificateRow({ certificate }: { certificate: OperatorCertificate }) {
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
        {issuer !== null && <> · issued by {issuer}</>}
        {notAfter !== null && (
          <>
            {' · expires '}
            <Time at={notAfter} kind="future" />
          </>
        )}
        {renewsAt !== null && lastError === null && (
          <>
            {' · renews automatically '}
            <Time at={renewsAt} kind="future" />
          </>
        )}
      </p>
      {lastError !== null && <Failure error={lastError} nextAttemptAt={nextAttemptAt} tone={tone} />}
    </li>
  )
}

/** Links to the domain only if the operator is a member of its account. */
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
