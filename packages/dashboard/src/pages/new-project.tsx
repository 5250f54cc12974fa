import { useHasScope } from '../layout/signed-in.tsx'
import { DropHint, useDrop } from '../publish/drop.tsx'
import { SiteSummary, SiteZone, TerminalInstructions } from '../publish/site-zone.tsx'
import { useSite } from '../publish/use-site.ts'
import { Page, Section } from '../ui/page.tsx'
import { NewProjectForm } from './new-project/new-project-form.tsx'

export function NewProjectPage() {
  return useHasScope('deploy') ? <NewProject /> : <NotAllowed />
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
        <TerminalInstructions command="deploy ./some-folder" />
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
