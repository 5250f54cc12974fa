import { Page } from '../../ui/page.tsx'

export function ProjectActivityPage() {
  return <Page title="Activity" />
}
