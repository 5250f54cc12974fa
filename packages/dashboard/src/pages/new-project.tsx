import { useMay } from '../layout/signed-in.tsx'
import { DropHint } from '../publish/drop-hint.tsx'
import { FromATerminal } from '../publish/from-a-terminal.tsx'
import { SiteSummary } from '../publish/site-summary.tsx'
import { SiteZone } from '../publish/site-zone.tsx'
import { useDrop } from '../publish/use-drop.ts'
import { useSite } from '../publish/use-site.ts'
import { Page } from '../ui/page.tsx'
import { Section } from '../ui/section.tsx'
import { NewProjectForm } from './new-project/new-project-form.tsx'

export function NewProjectPage() {
  return useMay('deploy') ? <NewProject /> : <NotAllowed />
}

function NewProject() {
  const { state, limits, read, forget } = useSite()
  const dragging = useDrop(true, read)
  const site = state.is === 'read' ? state.site : null
  return (
    <Page
      title="New project"
      lede="A project is a site with an address of its own. Give it files now, or publish to it later."
    >
      {dragging && <DropHint>Drop it to publish it as a new project</DropHint>}
      <div className="max-w-[560px]">
        <NewProjectForm site={site}>
          <fieldset>
            <legend className="mb-1.5 font-medium">Files</legend>
            {site === null ? (
              <SiteZone state={state} limits={limits} onSource={read} />
            ) : (
              <SiteSummary site={site} onForget={forget} />
            )}
          </fieldset>
        </NewProjectForm>
      </div>
      <Section title="From a terminal">
        <FromATerminal command="deploy ./some-folder" />
      </Section>
    </Page>
  )
}

function NotAllowed() {
  return (
    <Page
      title="New project"
      lede="An owner or a developer of this account makes projects; you can see them as a viewer. Ask an owner to change your role."
    />
  )
}
