import { Page } from '../../ui/page.tsx'

export function DeploymentPage() {
  return <Page title="Deployment" />
}
