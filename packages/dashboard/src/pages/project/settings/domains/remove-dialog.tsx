import { isServed } from '@masthead/contract/domain-states.ts'
import type { Domain } from '@masthead/contract/schemas/domain.ts'
import type { Project } from '@masthead/contract/schemas/project.ts'
import { Button } from '../../../../ui/button.tsx'
import { Dialog, DialogActions } from '../../../../ui/dialog.tsx'
import { Notice } from '../../../../ui/notice.tsx'
import type { Config } from './config-change.ts'
import { defaultSubdomain } from './default-subdomain.ts'
import { removalEffects } from './removal-effects.ts'
import type { ShownName } from './shown-name.ts'

interface RemoveDialogProps {
  domain: Domain
  project: Project
  config: Config | undefined
  shown: ShownName
  onConfirm: () => void
  onClose: () => void
  /** Redirecting the name keeps its links working; absent where nothing can be redirected from here. */
  onRedirect?: () => void
}

/** Says what goes with a domain before it is removed. */
export function RemoveDialog(props: RemoveDialogProps) {
  const { domain, project, config, shown, onConfirm, onClose, onRedirect } = props
  const { hostname, unicode } = domain
  const own = defaultSubdomain(project)
  const effects = config && removalEffects(hostname, config, own)
  const leadsNowhere = isServed(domain.state) && effects !== undefined && effects.redirectsTo === null
  return (
    <Dialog title={`Remove ${unicode}?`} onClose={onClose}>
      <p className="text-soft">
        It stops being served at once, on every connection, and its certificate goes with it. Your DNS stays
        as it is: remove the record there too, so that the name does not point to a place where nobody
        answers.
      </p>
      {effects !== undefined && (
        <ul className="mt-3 list-disc space-y-1 pl-5 wrap-anywhere">
          {effects.isPrimary && <li>It is the primary domain. {own} takes its place.</li>}
          {effects.redirectsTo !== null && <li>It no longer redirects to {shown(effects.redirectsTo)}.</li>}
          {effects.released.map((name) => (
            <li key={name}>{shown(name)} no longer redirects and shows the site itself.</li>
          ))}
        </ul>
      )}
      {leadsNowhere && (
        <div className="mt-4">
          <Notice tone="waiting" title={`Nothing redirects ${unicode}.`}>
            Links to it lead nowhere once it is removed.
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
          Keep it
        </Button>
        <Button look="primary" onClick={onConfirm}>
          Remove domain
        </Button>
      </DialogActions>
    </Dialog>
  )
}
