import { Page } from '../../ui/page.tsx'

export function OperatorAccountsPage() {
  return <Page title="Accounts" />
}
