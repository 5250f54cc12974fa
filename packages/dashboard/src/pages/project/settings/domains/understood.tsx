import type { Finding } from '@masthead/contract/schemas/domain.ts'
import type { UnderstoodText } from './understand.ts'

/** Of all that a look finds, what is worth knowing before a domain is added: its records cannot be right yet. */
const worthKnowing: readonly Finding['code'][] = ['domain_not_registered', 'challenge_ahead', 'caa_blocks']

interface UnderstoodProps {
  text: UnderstoodText | undefined
  attached: boolean
}

/** What the typed name was understood as, or why it cannot be one. */
export function Understood({ text, attached }: UnderstoodProps) {
  const check = text?.check
  return (
    <div role="status" className="text-small text-soft not-empty:mt-2">
      {text?.refused !== undefined && <p className="fade-in wrap-anywhere">{text.refused}</p>}
      {check !== undefined && (
        <>
          <p className="fade-in wrap-anywhere">
            <strong className="font-medium text-ink">{check.unicode}</strong>
            {check.unicode !== check.hostname && (
              <>
                , in DNS <code className="font-mono">{check.hostname}</code>
              </>
            )}
            {check.kind === 'apex' ? ', an apex: the domain itself.' : ', a subdomain.'}
            {check.provider !== null && ` Its DNS is at ${check.provider}.`}
            {attached && ' This project has it already.'}
          </p>
          {check.findings
            .filter(({ code }) => worthKnowing.includes(code))
            .map(({ code, message }) => (
              <p key={code} className="fade-in mt-1 wrap-anywhere">
                {message}
              </p>
            ))}
        </>
      )}
    </div>
  )
}
