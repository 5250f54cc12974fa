import { Page } from '../../ui/page.tsx'

export function DeploymentsPage() {
  return <Page title="Deployments" />
}
