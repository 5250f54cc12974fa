import { Page } from '../../ui/page.tsx'

export function OperatorHealthPage() {
  return <Page title="Health" />
}
