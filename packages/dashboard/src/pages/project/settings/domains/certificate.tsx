import { certificateTroubleOf, internalCaTitle } from '@masthead/contract/domains/certificate-trouble.ts'
import type { Domain } from '@masthead/contract/schemas/domains/domain.ts'
import { Copy } from '../../../../ui/copy.tsx'
import { Fact, Facts } from '../../../../ui/table.tsx'
import { Countdown } from '../../../../ui/time.tsx'
import { dateWords, exactTime } from '../../../../ui/time-words.ts'
import { renewalWords } from './state/state-words.ts'

export function CertificateFacts({ domain }: { domain: Domain }) {
  const { certificate } = domain
  const { issuer, serial, notAfter, status, passedOver } = certificate
  if (serial === null || notAfter === null) {
    return <p className="max-w-[60ch] text-soft">{noneYet(domain)}</p>
  }
  return (
    <>
      <Facts>
        <Fact name="Issued by">{issuer}</Fact>
        <Fact name="Serial number">
          <span className="inline-flex max-w-full flex-wrap items-center gap-x-2.5 gap-y-1">
            <code className="min-w-0 font-mono text-small wrap-anywhere">{serial}</code>
            <Copy text={serial} what="the serial number" />
          </span>
        </Fact>
        <Fact name={status === 'valid' ? 'Expires' : 'Expired'}>
          <time dateTime={notAfter} title={exactTime(Date.parse(notAfter))}>
            {dateWords(notAfter)}
          </time>
          <span className="text-soft">
            , <Countdown to={notAfter} before="in " over="now expired" />
          </span>
        </Fact>
        <Fact name="Renewal">{renewalWords(domain)}</Fact>
        {passedOver.length > 0 && (
          <Fact name="Passed over">
            {passedOver.map(({ authority, message }) => `${authority}: ${message}`).join(' ')}
          </Fact>
        )}
      </Facts>
      {issuer === internalCaTitle && <OwnRoot />}
    </>
  )
}

function noneYet(domain: Domain): string {
  const trouble = certificateTroubleOf(domain)
  if (trouble === 'refused') return 'No certificate: it was refused. See above for how to fix this.'
  if (trouble === 'delayed') return 'No certificate yet. The last attempt failed, and we retry automatically.'
  return domain.state === 'verified' || domain.certificate.status === 'pending'
    ? 'We are requesting a certificate. This usually takes about a minute.'
    : 'No certificate yet. We request one automatically once DNS is correct, and renew it in time.'
}

/** Browsers don't trust a private CA until its root certificate is installed. */
function OwnRoot() {
  return (
    <p className="mt-4 max-w-[64ch] text-small text-soft">
      This server uses its own certificate authority, which browsers do not trust.{' '}
      <a href="/v1/ca.pem" download="masthead-root.pem" className="link text-ink">
        Download its root certificate
      </a>{' '}
      and trust it on your machine to visit the site without a warning.
    </p>
  )
}
