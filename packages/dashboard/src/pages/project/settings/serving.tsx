import type { Project } from '@masthead/contract/schemas/project.ts'
import { useChangeProject } from '../../../data/projects.ts'
import { GuideLink } from '../../../guide-link.tsx'
import { useProject } from '../../../layout/project-frame.tsx'
import { useHasScope } from '../../../layout/signed-in.tsx'
import { Page } from '../../../ui/page.tsx'
import { ServingFields, servingOf } from './serving-fields.tsx'
import { DraftForm, ReadOnlyNotice, useDraft } from './settings-form.tsx'

export function ServingPage() {
  const project = useProject()
  const mayChange = useHasScope('deploy')
  const serving = servingOf(project)
  return (
    <Page
      title="Serving"
      intro={
        <>
          How URLs map to files. Changes take effect immediately.
          <GuideLink to="serving" />
        </>
      }
    >
      {mayChange ? (
        <ServingForm project={project} />
      ) : (
        <>
          <ReadOnlyNotice who="owners and developers" />
          <ServingFields stored={serving} values={serving} />
        </>
      )}
    </Page>
  )
}

function ServingForm({ project }: { project: Project }) {
  const change = useChangeProject(project)
  const stored = servingOf(project)
  const { values, changes, changed, saved, set, taken } = useDraft(stored)

  async function save() {
    if (!changed) return
    await change.mutateAsync(changes)
    taken()
  }

  return (
    <DraftForm draft={{ changed, saved }} onSubmit={save}>
      <ServingFields stored={stored} values={values} onChange={set} />
    </DraftForm>
  )
}
