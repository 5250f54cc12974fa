import type { Project } from '@masthead/contract/schemas/project.ts'
import { useChangeProject } from '../../../../data/project-change.ts'
import { Form } from '../../../../form/form.tsx'
import { Saved } from '../saved.tsx'
import { useDraft } from '../use-draft.ts'
import { ServingFields } from './fields.tsx'
import { servingOf } from './serving-of.ts'

export function ServingForm({ project }: { project: Project }) {
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
