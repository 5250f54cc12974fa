import type { Domain } from '@masthead/contract/schemas/domain.ts'
import type { Project } from '@masthead/contract/schemas/project.ts'
import { useState } from 'react'
import type { Config } from './config-change.ts'
import type { ProjectNames } from './project-names.ts'
import { RedirectDialog } from './redirect-dialog.tsx'
import { RemoveDialog } from './remove-dialog.tsx'

interface RemoveOrRedirectProps {
  domain: Domain
  project: Project
  config: Config | undefined
  names: ProjectNames
  onConfirm: () => void
  onClose: () => void
}

/** Asks whether a domain is to go, and offers to redirect it instead, which keeps its links working. */
export function RemoveOrRedirect({
  domain,
  project,
  config,
  names,
  onConfirm,
  onClose,
}: RemoveOrRedirectProps) {
  const [redirects, setRedirects] = useState(false)
  if (redirects && config !== undefined) {
    return (
      <RedirectDialog
        slug={project.slug}
        config={config}
        names={names}
        redirect={{ from: domain.hostname }}
        onClose={onClose}
      />
    )
  }
  return (
    <RemoveDialog
      domain={domain}
      project={project}
      config={config}
      shown={names.shown}
      onConfirm={onConfirm}
      onClose={onClose}
      onRedirect={() => setRedirects(true)}
    />
  )
}
