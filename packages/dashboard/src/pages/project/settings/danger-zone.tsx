import { Page } from '../../../ui/page.tsx'

export function DangerZonePage() {
  return <Page title="Danger zone" />
}
