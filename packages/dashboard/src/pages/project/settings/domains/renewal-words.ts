import type { Domain } from '@masthead/contract/schemas/domain.ts'

/** How a certificate that is in place will be followed by the next one. */
export function renewalWords({ state, certificate: { attempts, nextAttemptAt } }: Domain): string {
  if (state === 'drifted') return 'By itself, once DNS points here again'
  if (nextAttemptAt === null) return 'By itself, well before it ends'
  if (attempts === 0) return 'Under way'
  return attempts === 1 ? 'Under way, one attempt failed' : `Under way, ${attempts} attempts failed`
}
