import { keptDeployments } from '@masthead/contract/deployment-states.ts'
import { Link } from 'react-router'
import { paths } from '../../../paths.ts'
import { Page } from '../../../ui/page.tsx'

export function DeploymentGone({ slug }: { slug: string }) {
  return (
    <Page
      title="This deployment is not here"
      lede={`The newest ${keptDeployments} deployments are kept, and the live one whatever its age. This one was cleared away since, or never was in this project.`}
    >
      <Link to={paths.deployments(slug)} className="link">
        See the deployments that are kept
      </Link>
    </Page>
  )
}
