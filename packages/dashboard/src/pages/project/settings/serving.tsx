import { useProject } from '../../../layout/project-frame.tsx'
import { useMay } from '../../../layout/signed-in.tsx'
import { Page } from '../../../ui/page.tsx'
import { NotYours } from './not-yours.tsx'
import { ServingFields } from './serving/fields.tsx'
import { ServingForm } from './serving/form.tsx'
import { servingOf } from './serving/serving-of.ts'

export function ServingPage() {
  const project = useProject()
  const mayChange = useMay('deploy')
  const serving = servingOf(project)
  return (
    <Page
      title="Serving"
      lede="How files answer to paths. A change counts from the next request on, for what is live already too."
    >
      {mayChange ? (
        <ServingForm project={project} />
      ) : (
        <>
          <NotYours who="An owner or a developer" />
          <ServingFields stored={serving} values={serving} />
        </>
      )}
    </Page>
  )
}
