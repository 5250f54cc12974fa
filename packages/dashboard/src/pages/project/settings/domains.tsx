import { Page } from '../../../ui/page.tsx'

export function DomainsPage() {
  return <Page title="Domains" />
}
