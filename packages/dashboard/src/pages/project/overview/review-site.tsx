import type { Project } from '@masthead/contract/schemas/project.ts'
import type { Site } from '../../../publish/site.ts'
import { SiteSummary } from '../../../publish/site-summary.tsx'
import { startPublication } from '../../../publish/start-publication.ts'
import { Button } from '../../../ui/button.tsx'
import { Dialog, DialogActions } from '../../../ui/dialog.tsx'

interface ReviewSiteProps {
  project: Project
  site: Site
  onClose: () => void
}

/** Asks before what visitors see is replaced: a folder is easily dropped on the wrong page. */
export function ReviewSite({ project, site, onClose }: ReviewSiteProps) {
  const publish = (goLive: boolean) => () => {
    startPublication(project, site, { goLive })
    onClose()
  }
  return (
    <Dialog title={`Publish to ${project.name}?`} onClose={onClose}>
      <SiteSummary site={site} />
      <p className="mt-3 text-soft">
        Publishing replaces what visitors see now; you can roll back at any time. A preview gets its own
        address and changes nothing else.
      </p>
      <DialogActions>
        <Button look="quiet" onClick={onClose}>
          Cancel
        </Button>
        <Button onClick={publish(false)}>Publish as preview</Button>
        <Button look="primary" onClick={publish(true)}>
          Publish now
        </Button>
      </DialogActions>
    </Dialog>
  )
}
