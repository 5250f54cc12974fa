import type { Deployment } from '@masthead/contract/schemas/deployment.ts'

export interface Activation {
  words: string
  pending: string
}

const activate = { words: 'Activate', pending: 'Activating…' }
const rollBack = { words: 'Roll back to this', pending: 'Rolling back…' }

/** What serving it would be called, beside what is served now; null where it cannot be or is served already. */
export function activationOf(
  deployment: Pick<Deployment, 'id' | 'state' | 'active'>,
  served: Pick<Deployment, 'id'> | null,
): Activation | null {
  if (deployment.state !== 'ready' || deployment.active) return null
  // Ids sort by time.
  return served !== null && deployment.id < served.id ? rollBack : activate
}
