import type { CertificateView } from '@masthead/contract/schemas/domain.ts'
import { titleOfIssuer } from '../certificates/authorities.ts'
import type { CertificateState } from '../certificates/certificate-state.ts'
import { minute } from '../clock.ts'
import type { Schema } from '../database/schema.ts'

/** A certificate takes seconds, minutes at most: after so long somebody should have a look. */
const adviceAfter = 30 * minute

/** The certificate of a domain as the API shows it. */
export function toCertificateView({ lastError, issuer: id, ...state }: CertificateState): CertificateView {
  const issuer = id === null ? null : titleOfIssuer(id)
  if (lastError === null) return { ...state, issuer, lastError }
  return {
    ...state,
    issuer,
    lastError: { ...lastError, said: wordsOf(lastError), add: lastError.add ?? null },
  }
}

export function adviceFor(
  { state, state_since }: Pick<Schema['domains'], 'state' | 'state_since'>,
  { status }: Pick<CertificateState, 'status'>,
  now: number,
): 'reverify' | null {
  const isLate = state === 'verified' && status !== 'valid' && now - state_since >= adviceAfter
  return isLate ? 'reverify' : null
}

function wordsOf({ problem }: NonNullable<CertificateState['lastError']>): string | null {
  return problem?.detail ?? problem?.subproblems?.[0]?.detail ?? null
}
