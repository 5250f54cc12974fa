import { Page } from '../../ui/page.tsx'

export function OperatorCertificatesPage() {
  return <Page title="Certificates" />
}
