import type { Deployment } from '@masthead/contract/schemas/deployment.ts'
import { useActivate } from '../../../data/deployments.ts'
import { useProject } from '../../../layout/project-frame.tsx'
import { useMay } from '../../../layout/signed-in.tsx'
import { problemWords } from '../../../problem-words.ts'
import { Button } from '../../../ui/button.tsx'
import { activationOf } from './activation.ts'

interface ActivateButtonProps {
  deployment: Deployment
  look?: 'primary' | 'plain'
  /** The button is gone then, and the focus with it. */
  onLive: () => void
}

/** One click, because it can be undone. */
export function ActivateButton({ deployment, look = 'plain', onLive }: ActivateButtonProps) {
  const project = useProject()
  const activate = useActivate(project)
  const allowed = useMay('deploy')
  const activation = activationOf(deployment, project.activeDeployment)
  if (activation === null || !allowed) return null
  return (
    <div>
      <Button
        look={look}
        aria-label={`${activation.words}: ${deployment.id}`}
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
