import { retainedDeployments } from '@masthead/contract/deployments.ts'
import type { Deployment } from '@masthead/contract/schemas/deployment.ts'
import { formatBytes } from '@masthead/contract/text/byte-size.ts'
import { Link, useParams } from 'react-router'
import { isProblem } from '../../api/client.ts'
import { useDeployment } from '../../data/deployments.ts'
import { useProject } from '../../layout/project-frame.tsx'
import { Loaded } from '../../loaded.tsx'
import { paths } from '../../paths.ts'
import { DeploymentWarnings } from '../../publish/upload-panel.tsx'
import { filesWord } from '../../publish/upload-view.ts'
import { buttonClass } from '../../ui/button.tsx'
import { Copyable } from '../../ui/copy.tsx'
import { focusPage } from '../../ui/focus.tsx'
import { Page } from '../../ui/page.tsx'
import { Fact, Facts } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { ActivateButton, DeploymentStatus } from './activate-button.tsx'
import { DeploymentFiles } from './deployment-files.tsx'
import { DeploymentRules } from './deployment-rules.tsx'
import { SourceFacts } from './deployment-source.tsx'
import { deploymentName } from './deployment-words.ts'

export function DeploymentPage() {
  const { slug } = useProject()
  const { deployment: id = '' } = useParams()
  const query = useDeployment(slug, id)
  // The API rejects a malformed id as invalid input.
  if (isProblem(query.error, 'not_found', 'invalid_input')) return <DeploymentGone slug={slug} />
  return (
    <Page
      title={query.data ? deploymentName(query.data) : 'Deployment'}
      aside={query.data && <DeploymentStatus deployment={query.data} />}
    >
      <Loaded query={query}>
        {(deployment) => (
          <>
            <DeploymentFacts deployment={deployment} />
            <DeploymentWarnings deployment={deployment} />
            <Actions deployment={deployment} />
            {deployment.state === 'ready' && (
              <div className="mt-12">
                <DeploymentRules key={deployment.id} deployment={deployment} />
              </div>
            )}
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
    return <p className="mt-4 text-soft">It can go live once all files are uploaded.</p>
  }
  return (
    <div className="mt-4 flex flex-wrap gap-2">
      <ActivateButton deployment={deployment} look="primary" onLive={focusPage} />
      <a href={deployment.url} target="_blank" rel="noopener noreferrer" className={buttonClass()}>
        Open preview <span aria-hidden="true">&nbsp;↗</span>
      </a>
    </div>
  )
}

function DeploymentFacts({ deployment }: { deployment: Deployment }) {
  const { id, state, active, url, files, bytes, createdBy, createdAt, readyAt, activatedAt } = deployment
  return (
    <Facts>
      <SourceFacts deployment={deployment} />
      <Fact name="Preview">
        {state === 'ready' ? (
          <Copyable text={url} href={url} what="the preview address" />
        ) : (
          <span className="text-soft">Available once all files are uploaded</span>
        )}
      </Fact>
      <Fact name="Contents">
        {filesWord(files)}, {formatBytes(bytes)}
      </Fact>
      <Fact name="Created">
        <Time at={createdAt} /> by {createdBy}
      </Fact>
      <Fact name="Ready">{readyAt === null ? <NotYet /> : <Time at={readyAt} />}</Fact>
      <Fact name={active ? 'Live since' : 'Last went live'}>
        {activatedAt === null ? <NotYet /> : <Time at={activatedAt} />}
      </Fact>
      <Fact name="ID">
        <Copyable text={id} what="the ID" />
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
      title="Deployment not found"
      intro={`We keep the latest ${retainedDeployments} deployments, plus the live one and the newest of each branch. This one was deleted, or never belonged to this project.`}
    >
      <Link to={paths.deployments(slug)} className="link">
        See all deployments
      </Link>
    </Page>
  )
}
