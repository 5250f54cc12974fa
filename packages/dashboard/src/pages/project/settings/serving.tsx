import { Page } from '../../../ui/page.tsx'

export function ServingPage() {
  return <Page title="Serving" />
}
