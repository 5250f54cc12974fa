import { certificateTroubleOf } from '@masthead/contract/certificate-trouble.ts'
import type { Domain } from '@masthead/contract/schemas/domain.ts'
import { Disclosure } from '../../../../ui/disclosure.tsx'
import { Notice } from '../../../../ui/notice.tsx'
import { RecordToAdd } from './record-to-add.tsx'

/** Why there is no certificate yet, or no new one: what happened, what to do, and the other party's own words. */
export function CertificateTrouble({ domain }: { domain: Domain }) {
  const { advice, certificate } = domain
  const { lastError } = certificate
  const isLate = advice === 'reverify'
  if (lastError === null) {
    if (!isLate) return null
    return (
      <Notice tone="waiting" title="30 minutes have passed without a certificate.">
        It mostly takes a minute. Re-verify looks at DNS now and asks for one afresh.
      </Notice>
    )
  }
  const { message, hint, said, authority, add, problem } = lastError
  const isHalted = certificateTroubleOf(domain) === 'refused'
  return (
    <Notice tone={isHalted ? 'stopped' : 'waiting'} title={message}>
      {hint}
      {isLate && ' 30 minutes have passed without a certificate: re-verify to ask for one afresh.'}
      {add !== null && <RecordToAdd record={add} />}
      {said !== null && (
        <span className="mt-1.5 block wrap-anywhere">
          {authority} said <q>{said}</q>
        </span>
      )}
      {problem !== null && problem !== undefined && (
        <div className="mt-2">
          <Disclosure summary={`The whole answer of ${authority}`}>
            <pre className="max-h-72 overflow-auto rounded-chip bg-sheet p-3 font-mono text-small whitespace-pre-wrap wrap-anywhere">
              {JSON.stringify(problem, null, 2)}
            </pre>
          </Disclosure>
        </div>
      )}
    </Notice>
  )
}
