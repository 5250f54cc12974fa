import { Page } from '../ui/page.tsx'

export function PlanPage() {
  return <Page title="Plan" />
}
