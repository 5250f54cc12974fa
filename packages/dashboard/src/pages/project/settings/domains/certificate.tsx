import { certificateTroubleOf, internalCaTitle } from '@masthead/contract/domains/certificate-trouble.ts'
import type { Domain } from '@masthead/contract/schemas/domain.ts'
import { Copy } from '../../../../ui/copy.tsx'
import { Fact, Facts } from '../../../../ui/table.tsx'
import { Countdown } from '../../../../ui/time.tsx'
import { dateWords, exactTime } from '../../../../ui/time-words.ts'
import { renewalWords } from './state/state-words.ts'

/** The certificate of a domain as it is. */
export function CertificateFacts({ domain }: { domain: Domain }) {
  const { certificate } = domain
  const { issuer, serial, notAfter, status } = certificate
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
        <Fact name={status === 'valid' ? 'Ends' : 'Ended'}>
          <time dateTime={notAfter} title={exactTime(Date.parse(notAfter))}>
            {dateWords(notAfter)}
          </time>
          <span className="text-soft">
            , <Countdown to={notAfter} before="in " over="which has passed" />
          </span>
        </Fact>
        <Fact name="Renewal">{renewalWords(domain)}</Fact>
      </Facts>
      {issuer === internalCaTitle && <OwnRoot />}
    </>
  )
}

/** Why there is none: in trouble is told as trouble, above it what to do. */
function noneYet(domain: Domain): string {
  const trouble = certificateTroubleOf(domain)
  if (trouble === 'refused') return 'There is none: it was refused. What to repair is told above.'
  if (trouble === 'delayed')
    return 'There is none yet: the last attempt failed, and we try again automatically.'
  return domain.state === 'verified' || domain.certificate.status === 'pending'
    ? 'It is on its way: we ask for it automatically, and it mostly takes a minute.'
    : 'There is none yet. We get one automatically as soon as DNS is right, and renew it in time.'
}

/** Browsers do not know a CA that somebody runs for themselves; its root tells them. */
function OwnRoot() {
  return (
    <p className="mt-4 max-w-[64ch] text-small text-soft">
      This server is its own certificate authority, which browsers do not know.{' '}
      <a href="/v1/ca.pem" download="masthead-root.pem" className="link text-ink">
        Download its root certificate
      </a>{' '}
      and trust it on your own machine to visit the site without a warning.
    </p>
  )
}
