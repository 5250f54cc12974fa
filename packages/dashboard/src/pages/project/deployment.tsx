import type { Deployment } from '@masthead/contract/schemas/deployment.ts'
import { useParams } from 'react-router'
import { isProblem } from '../../api.ts'
import { useDeployment } from '../../data/deployments.ts'
import { useProject } from '../../layout/project-frame.tsx'
import { Loaded } from '../../loaded.tsx'
import { DeploymentWarnings } from '../../publish/deployment-warnings.tsx'
import { buttonClass } from '../../ui/button.tsx'
import { focusPage } from '../../ui/focus-page.ts'
import { Page } from '../../ui/page.tsx'
import { DeploymentFacts } from './deployment/facts.tsx'
import { DeploymentFiles } from './deployment/files.tsx'
import { DeploymentGone } from './deployment/gone.tsx'
import { ActivateButton } from './deployments/activate-button.tsx'
import { DeploymentStatus } from './deployments/state.tsx'

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
