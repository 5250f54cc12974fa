import { retainedDeployments } from '@masthead/contract/deployments.ts'
import type { Deployment } from '@masthead/contract/schemas/deployment.ts'
import { Link, useParams } from 'react-router'
import { isProblem } from '../../api/client.ts'
import { useDeployment } from '../../data/deployments.ts'
import { useProject } from '../../layout/project-frame.tsx'
import { Loaded } from '../../loaded.tsx'
import { paths } from '../../paths.ts'
import { DeploymentWarnings } from '../../publish/publication-panel.tsx'
import { buttonClass } from '../../ui/button.tsx'
import { Copyable } from '../../ui/copy.tsx'
import { fileSize } from '../../ui/file-size.ts'
import { focusPage } from '../../ui/focus.tsx'
import { Page } from '../../ui/page.tsx'
import { Fact, Facts } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { ActivateButton, DeploymentStatus } from './activate-button.tsx'
import { DeploymentFiles } from './deployment-files.tsx'
import { fileCount } from './deployment-words.ts'

export function DeploymentPage() {
  const { slug } = useProject()
  const { deployment: id = '' } = useParams()
  const query = useDeployment(slug, id)
  // An id that is none at all is refused before anybody looks for it.
  if (isProblem(query.error, 'not_found', 'invalid_input')) return <DeploymentGone slug={slug} />
  return (
    <Page title="Deployment" aside={query.data && <DeploymentStatus deployment={query.data} />}>
      <Loaded query={query}>
        {(deployment) => (
          <>
            <DeploymentFacts deployment={deployment} />
            <DeploymentWarnings deployment={deployment} />
            <Actions deployment={deployment} />
            <div className="mt-12">
              <DeploymentFiles key={deployment.id} deployment={deployment} />
            </div>
          </>
        )}
      </Loaded>
    </Page>
  )
}

function Actions({ deployment }: { deployment: Deployment }) {
  if (deployment.state !== 'ready') {
    return <p className="mt-4 text-soft">Nothing of it is served until every file is here.</p>
  }
  return (
    <div className="mt-4 flex flex-wrap gap-2">
      <ActivateButton deployment={deployment} look="primary" onLive={focusPage} />
      <a href={deployment.url} target="_blank" rel="noopener noreferrer" className={buttonClass()}>
        Open the preview <span aria-hidden="true">&nbsp;↗</span>
      </a>
    </div>
  )
}

function DeploymentFacts({ deployment }: { deployment: Deployment }) {
  const { id, state, active, url, files, bytes, createdBy, createdAt, readyAt, activatedAt } = deployment
  return (
    <Facts>
      <Fact name="Id">
        <Copyable text={id} what="the id" />
      </Fact>
      <Fact name="Preview">
        {state === 'ready' ? (
          <Copyable text={url} href={url} what="the preview address" />
        ) : (
          <span className="text-soft">At an address of its own, once every file is here</span>
        )}
      </Fact>
      <Fact name="Holds">
        {fileCount(files)}, {fileSize(bytes)}
      </Fact>
      <Fact name="Made">
        <Time at={createdAt} /> by {createdBy}
      </Fact>
      <Fact name="Ready">{readyAt === null ? <NotYet /> : <Time at={readyAt} />}</Fact>
      <Fact name={active ? 'Live since' : 'Last went live'}>
        {activatedAt === null ? <NotYet /> : <Time at={activatedAt} />}
      </Fact>
    </Facts>
  )
}

function NotYet() {
  return <span className="text-soft">Not yet</span>
}

function DeploymentGone({ slug }: { slug: string }) {
  return (
    <Page
      title="This deployment is not here"
      lede={`The newest ${retainedDeployments} deployments are kept, and the live one whatever its age. This one was cleared away since, or never was in this project.`}
    >
      <Link to={paths.deployments(slug)} className="link">
        See the deployments that are kept
      </Link>
    </Page>
  )
}
