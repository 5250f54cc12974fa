import { Page } from '../ui/page.tsx'

export function NewProjectPage() {
  return <Page title="New project" />
}
