import type { DeploymentState } from '@masthead/contract/deployment-states.ts'
import type { Deployment } from '@masthead/contract/schemas/deployment.ts'
import { Status } from '../../../ui/status.tsx'

const looks = {
  uploading: { tone: 'waiting', word: 'Uploading' },
  ready: { tone: 'idle', word: 'Ready' },
} as const satisfies Record<DeploymentState, { tone: 'waiting' | 'idle'; word: string }>

/** Being served is not a state of its own in the API, but it is what people look for first. */
export function DeploymentStatus({ deployment }: { deployment: Pick<Deployment, 'state' | 'active'> }) {
  if (deployment.active) return <Status tone="live">Live</Status>
  const { tone, word } = looks[deployment.state]
  return <Status tone={tone}>{word}</Status>
}
