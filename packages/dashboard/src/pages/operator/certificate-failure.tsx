import type { OperatorCertificate } from '@masthead/contract/schemas/operator.ts'
import { Notice } from '../../ui/notices.tsx'
import { Disclosure } from '../../ui/page.tsx'
import { Countdown, Time } from '../../ui/time.tsx'
import { RecordToAdd } from '../project/settings/domains/dns-records.tsx'
import type { CertificateBadge } from './certificate-state.ts'

interface FailureProps {
  error: NonNullable<OperatorCertificate['lastError']>
  nextAttemptAt: string | null
  tone: CertificateBadge['tone']
}

export function Failure({ error, nextAttemptAt, tone }: FailureProps) {
  const { message, hint, at, authority, said, problem, add } = error
  const whole = said === null && (problem === null || problem === undefined) ? null : { said, problem }
  return (
    <div className="mt-3">
      <Notice tone={tone === 'stopped' ? 'stopped' : 'waiting'} title={message}>
        {hint}
        {add !== null && <RecordToAdd record={add} />}
        <span className="mt-1.5 block text-small text-soft">
          Last attempt <Time at={at} />
          {nextAttemptAt === null ? (
            ', no further attempts'
          ) : (
            <>
              , <Countdown to={nextAttemptAt} before="next attempt in " over="next attempt now" />
            </>
          )}
        </span>
        {whole !== null && (
          <div className="mt-2">
            <Disclosure summary={`What ${authority} said`}>
              {whole.said !== null && (
                <p className="wrap-anywhere">
                  <q>{whole.said}</q>
                </p>
              )}
              {whole.problem !== null && whole.problem !== undefined && (
                <pre className="mt-2 max-h-72 overflow-auto rounded-chip bg-sheet p-3 font-mono text-small whitespace-pre-wrap wrap-anywhere">
                  {JSON.stringify(whole.problem, null, 2)}
                </pre>
              )}
            </Disclosure>
          </div>
        )}
      </Notice>
    </div>
  )
}
