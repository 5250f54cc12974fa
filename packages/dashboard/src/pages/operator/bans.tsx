import { Page } from '../../ui/page.tsx'

export function OperatorBansPage() {
  return <Page title="Bans" />
}
