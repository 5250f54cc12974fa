import { useProjects } from '../data/projects.ts'
import { useMay } from '../layout/signed-in.tsx'
import { Loaded } from '../loaded.tsx'
import { ShowMore } from '../show-more.tsx'
import { Page } from '../ui/page.tsx'
import { RuledList } from '../ui/rule.tsx'
import { PublishAFolder } from './projects/publish-a-folder.tsx'
import { ProjectRow } from './projects/row.tsx'

export function ProjectsPage() {
  const list = useProjects()
  const mayPublish = useMay('deploy')
  return (
    <Page title="Projects">
      <Loaded query={list}>
        {(projects) => (
          <>
            {projects.length > 0 && (
              <RuledList label="Projects">
                {projects.map((project) => (
                  <ProjectRow key={project.id} project={project} />
                ))}
              </RuledList>
            )}
            <ShowMore list={list} />
            <PublishAFolder first={projects.length === 0} allowed={mayPublish} />
          </>
        )}
      </Loaded>
    </Page>
  )
}
