import { certificateTroubleOf, otherFindings } from '@masthead/contract/domains/certificate-trouble.ts'
import { providerGuides } from '@masthead/contract/domains/dns-providers.ts'
import type { Finding } from '@masthead/contract/schemas/domains/dns-check.ts'
import type { Domain } from '@masthead/contract/schemas/domains/domain.ts'
import { Notice } from '../../../../ui/notices.tsx'
import { Disclosure } from '../../../../ui/page.tsx'
import { clockTime, exactTime } from '../../../../ui/time-words.ts'
import { MarkAsProxied } from './behind-proxy.tsx'
import { RecordToAdd } from './dns-records.tsx'
import { sortFindings } from './state/check-words.ts'

/** The findings of the last check, blocking ones first, each with its fix. */
export function Findings({ domain }: { domain: Domain }) {
  const { lastCheck, state } = domain
  const findings = sortFindings(otherFindings(domain))
  if (lastCheck === null || findings.length === 0) return null
  const blocking = findings.filter(({ effect }) => effect !== 'tells')
  const informational = findings.filter(({ effect }) => effect === 'tells')
  const guides = providerGuides(lastCheck.provider === 'the lab' ? null : lastCheck.provider)
  return (
    <>
      {blocking.map((finding, index) => (
        <Notice
          key={finding.code}
          tone={state === 'failed' && finding.effect === 'stops' ? 'stopped' : 'waiting'}
          title={finding.message}
        >
          <WithCode text={finding.fix} /> <Until finding={finding} />
          {finding.provider !== undefined && <MarkAsProxied domain={domain} provider={finding.provider} />}
          {index === 0 &&
            guides.map(({ name, guide }) => (
              <span key={name} className="mt-1.5 block text-small">
                In {name}: {guide}
              </span>
            ))}
        </Notice>
      ))}
      {informational.map((finding) => (
        <div key={finding.code} className="border-l-3 border-hairline px-4 text-small text-soft">
          <strong className="font-medium text-ink">{finding.message}</strong> <WithCode text={finding.fix} />{' '}
          <Until finding={finding} />
          {finding.records?.map((record) => (
            <RecordToAdd key={record.value} record={record} />
          ))}
        </div>
      ))}
    </>
  )
}

/** What stands between backticks is to be typed. */
function WithCode({ text }: { text: string }) {
  return text.split('`').map((part, index) =>
    index % 2 === 0 ? (
      part
    ) : (
      <code key={part} className="font-mono text-small">
        {part}
      </code>
    ),
  )
}

function Until({ finding: { until } }: { finding: Finding }) {
  if (until === undefined) return null
  const at = Date.parse(until)
  if (at <= Date.now()) return null
  return (
    <>
      Until{' '}
      <time dateTime={until} title={exactTime(at)}>
        {' '}
        {clockTime(at, Date.now())}{' '}
      </time>{' '}
      at the latest.
    </>
  )
}

/** Why there is no certificate, or no renewal: what happened, what to do, and what the CA said. */
export function CertificateTrouble({ domain }: { domain: Domain }) {
  const { advice, certificate } = domain
  const { lastError } = certificate
  const isLate = advice === 'reverify'
  if (lastError === null) {
    if (!isLate) return null
    return (
      <Notice tone="waiting" title="No certificate after 30 minutes.">
        It usually takes about a minute. Re-verify to check DNS now and request a new certificate.
      </Notice>
    )
  }
  const { message, hint, said, authority, add, problem } = lastError
  const isHalted = certificateTroubleOf(domain) === 'refused'
  return (
    <Notice tone={isHalted ? 'stopped' : 'waiting'} title={message}>
      {hint}
      {isLate && ' No certificate after 30 minutes: re-verify to request a new one.'}
      {add !== null && <RecordToAdd record={add} />}
      {said !== null && (
        <span className="mt-1.5 block wrap-anywhere">
          {authority} said <q>{said}</q>
        </span>
      )}
      {problem !== null && problem !== undefined && (
        <div className="mt-2">
          <Disclosure summary={`Full response from ${authority}`}>
            <pre className="max-h-72 overflow-auto rounded-chip bg-sheet p-3 font-mono text-small whitespace-pre-wrap wrap-anywhere">
              {JSON.stringify(problem, null, 2)}
            </pre>
          </Disclosure>
        </div>
      )}
    </Notice>
  )
}
