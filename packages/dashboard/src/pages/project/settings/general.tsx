import { Page } from '../../../ui/page.tsx'

export function GeneralPage() {
  return <Page title="General" />
}
