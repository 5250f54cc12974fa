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
      intro="A project is a site with its own address. Add files now, or publish later."
    >
      {dragging && <DropHint>Drop to publish as a new project</DropHint>}
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
      intro="As a viewer, you can see projects but not create them. Ask an owner to change your role."
    />
  )
}
