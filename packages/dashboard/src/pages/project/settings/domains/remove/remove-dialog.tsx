import { isReached } from '@masthead/contract/domains/states.ts'
import type { Domain } from '@masthead/contract/schemas/domains/domain.ts'
import type { DomainConfig } from '@masthead/contract/schemas/domains/domain-config.ts'
import type { Project } from '@masthead/contract/schemas/project.ts'
import { useState } from 'react'
import { useNavigate } from 'react-router'
import { useDomains } from '../../../../../data/domains.ts'
import { useProject } from '../../../../../layout/project-frame.tsx'
import { paths } from '../../../../../paths.ts'
import { problemWords } from '../../../../../problem-words.ts'
import { Button } from '../../../../../ui/button.tsx'
import { Dialog, DialogActions } from '../../../../../ui/dialog.tsx'
import { Notice, useToast } from '../../../../../ui/notices.tsx'
import { type DomainsConfig, removalEffects } from '../config/config.ts'
import { RedirectDialog } from '../config/redirect-dialog.tsx'
import { defaultSubdomain, type ProjectNames, useProjectNames } from '../project-names.tsx'
import { useRemoval } from './use-removal.ts'

interface RemoveDialogProps {
  domain: Domain
  project: Project
  config: DomainsConfig | undefined
  names: Pick<ProjectNames, 'shown' | 'coveringOf'>
  onConfirm: () => void
  onClose: () => void
  /** Offers a redirect instead, which keeps links working. */
  onRedirect?: () => void
}

function RemoveDialog(props: RemoveDialogProps) {
  const { domain, project, config, names, onConfirm, onClose, onRedirect } = props
  const { shown } = names
  const { hostname, unicode } = domain
  const own = defaultSubdomain(project)
  const effects = config && removalEffects(hostname, config, own)
  const covering = names.coveringOf(hostname)
  const breaksLinks =
    covering === null && isReached(domain.state) && effects !== undefined && effects.redirectsTo === null
  return (
    <Dialog title={`Remove ${unicode}?`} onClose={onClose}>
      <p className="text-soft">
        {covering === null
          ? 'It stops working immediately, and its certificate is deleted. Remove its DNS record at your ' +
            'provider too, so that it does not point to a server that no longer answers.'
          : `${shown(covering)} covers it: links to it will show what ${shown(covering)} shows. Its ` +
            'certificate is deleted.'}
      </p>
      {effects !== undefined && (
        <ul className="mt-3 list-disc space-y-1 pl-5 wrap-anywhere">
          {effects.isPrimary && <li>It is the primary domain. {own} becomes primary instead.</li>}
          {effects.redirectsTo !== null && <li>It no longer redirects to {shown(effects.redirectsTo)}.</li>}
          {effects.released.map((name) => (
            <li key={name}>{shown(name)} no longer redirects and shows the site itself.</li>
          ))}
        </ul>
      )}
      {breaksLinks && (
        <div className="mt-4">
          <Notice tone="waiting" title={`${unicode} does not redirect.`}>
            Links to it break once it is removed.
            {!effects.isPrimary && onRedirect !== undefined && (
              <>
                {' '}
                To keep them working,{' '}
                <button type="button" className="link rounded-chip" onClick={onRedirect}>
                  redirect it instead
                </button>
                .
              </>
            )}
          </Notice>
        </div>
      )}
      <DialogActions>
        <Button look="quiet" onClick={onClose}>
          Cancel
        </Button>
        <Button look="primary" onClick={onConfirm}>
          Remove domain
        </Button>
      </DialogActions>
    </Dialog>
  )
}

interface RemoveOrRedirectProps {
  domain: Domain
  project: Project
  config: DomainsConfig | undefined
  names: ProjectNames
  onConfirm: () => void
  onClose: () => void
}

/** Confirms the removal, or redirects the domain instead to keep its links working. */
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
      names={names}
      onConfirm={onConfirm}
      onClose={onClose}
      onRedirect={() => setRedirects(true)}
    />
  )
}

interface RemoveFromPageProps {
  domain: Domain
  config: DomainConfig | undefined
  onClose: () => void
}

/** Removes a domain from its own page, then returns to the list without waiting. */
export function RemoveFromPage({ domain, config, onClose }: RemoveFromPageProps) {
  const project = useProject()
  const navigate = useNavigate()
  const say = useToast()
  const removal = useRemoval(project.slug)
  const list = useDomains(project.slug)
  const names = useProjectNames(project, list)

  function remove() {
    navigate(paths.domains(project.slug))
    removal.mutateAsync(domain).catch((error) => {
      say({ words: `${domain.unicode} was not removed. ${problemWords(error).what}` })
    })
  }

  return (
    <RemoveDialog
      domain={domain}
      project={project}
      // Which links break is known once the other domains are.
      config={list.data === undefined ? undefined : config?.domains}
      names={names}
      onConfirm={remove}
      onClose={onClose}
    />
  )
}
