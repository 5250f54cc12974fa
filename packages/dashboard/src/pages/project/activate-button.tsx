import { type DeploymentState, deploymentTitle } from '@masthead/contract/deployments.ts'
import type { Deployment } from '@masthead/contract/schemas/deployment.ts'
import { useActivate } from '../../data/deployments.ts'
import { useProject } from '../../layout/project-frame.tsx'
import { useHasScope } from '../../layout/signed-in.tsx'
import { problemWords } from '../../problem-words.ts'
import { Button } from '../../ui/button.tsx'
import { Status } from '../../ui/status.tsx'
import { activationOf } from './deployment-words.ts'

interface ActivateButtonProps {
  deployment: Deployment
  look?: 'primary' | 'plain'
  /** Called once it is live: the button, which had the focus, is gone. */
  onLive: () => void
}

/** Does not ask first, because it can be undone. */
export function ActivateButton({ deployment, look = 'plain', onLive }: ActivateButtonProps) {
  const project = useProject()
  const activate = useActivate(project)
  const allowed = useHasScope('deploy')
  const activation = activationOf(deployment, project.activeDeployment)
  if (activation === null || !allowed) return null
  return (
    <div>
      <Button
        look={look}
        aria-label={`${activation.words}: ${deploymentTitle(deployment.meta) ?? deployment.id}`}
        pending={activate.isPending && activation.pending}
        onClick={() => activate.mutate(deployment.id, { onSuccess: onLive })}
      >
        {activation.words}
      </Button>
      {activate.error !== null && (
        <p role="alert" className="mt-1.5 max-w-[32ch] text-small text-stopped">
          {problemWords(activate.error).what}
        </p>
      )}
    </div>
  )
}

const looks = {
  uploading: { tone: 'waiting', word: 'Uploading' },
  ready: { tone: 'idle', word: 'Ready' },
} as const satisfies Record<DeploymentState, { tone: 'waiting' | 'idle'; word: string }>

/** "Live" is not a state in the API, but it is what people look for first. */
export function DeploymentStatus({ deployment }: { deployment: Pick<Deployment, 'state' | 'active'> }) {
  if (deployment.active) return <Status tone="live">Live</Status>
  const { tone, word } = looks[deployment.state]
  return <Status tone={tone}>{word}</Status>
}
