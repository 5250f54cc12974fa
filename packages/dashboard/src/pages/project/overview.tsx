import { useAllDomains } from '../../data/domains.ts'
import { useProject } from '../../layout/project-frame.tsx'
import { useHasScope } from '../../layout/signed-in.tsx'
import { Loaded } from '../../loaded.tsx'
import { DropHint, useDrop } from '../../publish/drop.tsx'
import { lacksIndexPage } from '../../publish/site.ts'
import { startUpload } from '../../publish/start-upload.ts'
import { UploadPanel } from '../../publish/upload-panel.tsx'
import { isRunning } from '../../publish/upload-view.ts'
import { useUpload } from '../../publish/uploads.ts'
import { useSite } from '../../publish/use-site.ts'
import { buttonClass } from '../../ui/button.tsx'
import { Page } from '../../ui/page.tsx'
import { ProjectDomains } from './overview/domains.tsx'
import { LiveVersion, NothingLive, ProjectAddresses } from './overview/live-version.tsx'
import { PublishSection, ReviewSite, useRefreshAfter } from './overview/publish.tsx'

export function OverviewPage() {
  const project = useProject()
  const upload = useUpload(project.id)
  const running = upload !== null && isRunning(upload)
  // The project does not include the new deployment until it is refetched.
  const isDone = upload?.step === 'done' && upload.deployment?.active !== false
  const mayPublish = useHasScope('deploy')
  const reading = useSite((site) => {
    if (project.activeDeployment !== null || isDone || lacksIndexPage(site)) return
    startUpload(project, site, { goLive: true })
    reading.forget()
  })
  const dragging = useDrop(mayPublish && !running, reading.read)
  useRefreshAfter(project.slug, upload)
  const { name, primaryUrl, activeDeployment: live } = project
  return (
    <Page
      title={name}
      intro={<ProjectAddresses project={project} />}
      aside={
        live !== null &&
        !isDone && (
          <a href={primaryUrl} target="_blank" rel="noopener noreferrer" className={buttonClass()}>
            Open
          </a>
        )
      }
    >
      {dragging && (
        <DropHint>
          Drop to publish to <bdi>{name}</bdi>
        </DropHint>
      )}
      {reading.state.is === 'read' && (
        <ReviewSite project={project} site={reading.state.site} onClose={reading.forget} />
      )}
      {upload !== null && <UploadPanel project={project} view={upload} onSource={reading.read} />}
      {live !== null && <LiveVersion project={project} live={live} />}
      {live === null && !running && !isDone && <NothingLive allowed={mayPublish} />}
      {live !== null && <DomainsOf slug={project.slug} />}
      {mayPublish && !running && <PublishSection project={project} reading={reading} />}
    </Page>
  )
}

function DomainsOf({ slug }: { slug: string }) {
  const domains = useAllDomains(slug, true)
  return <Loaded query={domains}>{(all) => <ProjectDomains slug={slug} domains={all} />}</Loaded>
}
