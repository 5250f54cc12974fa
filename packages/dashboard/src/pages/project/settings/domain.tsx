import { Page } from '../../../ui/page.tsx'

export function DomainPage() {
  return <Page title="Domain" />
}
