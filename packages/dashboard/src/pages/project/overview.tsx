import { useAllDomains } from '../../data/domains.ts'
import { useProject } from '../../layout/project-frame.tsx'
import { useHasScope } from '../../layout/signed-in.tsx'
import { Loaded } from '../../loaded.tsx'
import { DropHint, useDrop } from '../../publish/drop.tsx'
import { PublicationPanel } from '../../publish/publication-panel.tsx'
import { isRunning } from '../../publish/publication-view.ts'
import { usePublication } from '../../publish/publications.ts'
import { lacksIndexPage } from '../../publish/site.ts'
import { startPublication } from '../../publish/start-publication.ts'
import { useSite } from '../../publish/use-site.ts'
import { buttonClass } from '../../ui/button.tsx'
import { Page } from '../../ui/page.tsx'
import { ProjectDomains } from './overview/domains.tsx'
import { LiveVersion, NothingLive, ProjectAddresses } from './overview/live-version.tsx'
import { PublishSection, ReviewSite, useRefreshAfter } from './overview/publish.tsx'

export function OverviewPage() {
  const project = useProject()
  const publication = usePublication(project.id)
  const running = publication !== null && isRunning(publication)
  // The project does not include the new deployment until it is refetched.
  const isDone = publication?.step === 'done' && publication.deployment?.active !== false
  const mayPublish = useHasScope('deploy')
  const reading = useSite((site) => {
    if (project.activeDeployment !== null || isDone || lacksIndexPage(site)) return
    startPublication(project, site, { goLive: true })
    reading.forget()
  })
  const dragging = useDrop(mayPublish && !running, reading.read)
  useRefreshAfter(project.slug, publication)
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
      {dragging && <DropHint>Drop to publish to {name}</DropHint>}
      {reading.state.is === 'read' && (
        <ReviewSite project={project} site={reading.state.site} onClose={reading.forget} />
      )}
      {publication !== null && <PublicationPanel project={project} view={publication} />}
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
