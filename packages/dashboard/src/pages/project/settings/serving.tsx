import type { Project } from '@masthead/contract/schemas/project.ts'
import { useChangeProject } from '../../../data/projects.ts'
import { Form } from '../../../form/form.tsx'
import { GuideLink } from '../../../guide-link.tsx'
import { useProject } from '../../../layout/project-frame.tsx'
import { useHasScope } from '../../../layout/signed-in.tsx'
import { Page } from '../../../ui/page.tsx'
import { ServingFields, servingOf } from './serving-fields.tsx'
import { ReadOnlyNotice, Saved, useDraft } from './settings-form.tsx'

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
    <Form
      onSubmit={save}
      submit="Save"
      submitting="Saving…"
      look={changed ? 'primary' : 'plain'}
      aside={<Saved shown={saved && !changed} />}
    >
      <ServingFields stored={stored} values={values} onChange={set} />
    </Form>
  )
}
