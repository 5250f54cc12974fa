import type { Project } from '@masthead/contract/schemas/project.ts'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { deploymentsKey } from '../../../data/deployments.ts'
import { projectKey, projectsKey } from '../../../data/projects.ts'
import type { SiteUpload } from '../../../publish/site.ts'
import { SiteSummary, SiteZone, TerminalInstructions } from '../../../publish/site-zone.tsx'
import { startUpload } from '../../../publish/start-upload.ts'
import type { UploadView } from '../../../publish/upload-view.ts'
import type { useSite } from '../../../publish/use-site.ts'
import { Button } from '../../../ui/button.tsx'
import { Dialog, DialogActions } from '../../../ui/dialog.tsx'
import { Disclosure, Section } from '../../../ui/page.tsx'

interface PublishSectionProps {
  project: Project
  reading: ReturnType<typeof useSite>
}

/** Needs no title while nothing is live: the empty state above has one. */
export function PublishSection({ project, reading }: PublishSectionProps) {
  const { state, limits, read } = reading
  const ways = (
    <>
      <SiteZone state={state} limits={limits} onSource={read} />
      <div className="mt-4">
        <Disclosure summary="From a terminal">
          <TerminalInstructions command={`deploy ./some-folder --project ${project.slug}`} />
        </Disclosure>
      </div>
    </>
  )
  if (project.activeDeployment === null) return <div className="mt-6">{ways}</div>
  return (
    <Section
      title="Publish a new version"
      intro="Publish right away, or check a preview first. You can roll back at any time."
    >
      {ways}
    </Section>
  )
}

interface ReviewSiteProps {
  project: Project
  site: SiteUpload
  onClose: () => void
}

/** Asks before replacing the live site: a folder is easily dropped on the wrong page. */
export function ReviewSite({ project, site, onClose }: ReviewSiteProps) {
  const publish = (goLive: boolean) => () => {
    startUpload(project, site, { goLive })
    onClose()
  }
  return (
    <Dialog title={`Publish to ${project.name}?`} onClose={onClose}>
      <SiteSummary site={site} />
      <p className="mt-3 text-soft">
        Publishing replaces the live site, and you can roll back at any time. A preview gets its own address
        and leaves the live site unchanged.
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

/** Refetches when an upload is done, in case the stream of changes is unavailable. */
export function useRefreshAfter(slug: string, upload: UploadView | null): void {
  const queries = useQueryClient()
  const done = upload?.step === 'done'
  useEffect(() => {
    if (!done) return
    for (const queryKey of [projectKey(slug), projectsKey, deploymentsKey(slug)]) {
      void queries.invalidateQueries({ queryKey })
    }
  }, [queries, slug, done])
}
