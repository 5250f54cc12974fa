import { keptDeployments } from '@masthead/contract/deployment-states.ts'
import { useDeployments } from '../../data/deployments.ts'
import { useProject } from '../../layout/project-frame.tsx'
import { Loaded } from '../../loaded.tsx'
import { ShowMore } from '../../show-more.tsx'
import { Page } from '../../ui/page.tsx'
import { RuledList } from '../../ui/rule.tsx'
import { NoDeploymentsYet } from './deployments/none-yet.tsx'
import { DeploymentRow } from './deployments/row.tsx'

export function DeploymentsPage() {
  const { slug } = useProject()
  const list = useDeployments(slug)
  return (
    <Page
      title="Deployments"
      lede={`Each is a version of the site that never changes. The newest ${keptDeployments} are kept, and the live one whatever its age.`}
    >
      <Loaded query={list}>
        {(deployments) =>
          deployments.length === 0 ? (
            <NoDeploymentsYet slug={slug} />
          ) : (
            <>
              <RuledList label="Deployments">
                {deployments.map((deployment) => (
                  <DeploymentRow key={deployment.id} deployment={deployment} />
                ))}
              </RuledList>
              <ShowMore list={list} />
            </>
          )
        }
      </Loaded>
    </Page>
  )
}
