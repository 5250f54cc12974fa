import type { Deployment } from '@masthead/contract/schemas/deployment.ts'
import type { Project } from '@masthead/contract/schemas/project.ts'
import { Link } from 'react-router'
import { paths } from '../../../paths.ts'
import { filesWord } from '../../../publish/words.ts'
import { Fact, Facts } from '../../../ui/facts.tsx'
import { fileSize } from '../../../ui/file-size.ts'
import { Status } from '../../../ui/status.tsx'
import { Time } from '../../../ui/time.tsx'
import { Preview } from './preview.tsx'

/** What visitors see now. */
export function LiveVersion({ project, live }: { project: Project; live: Deployment }) {
  return (
    <section
      aria-label="What is live"
      className="grid items-start gap-x-8 gap-y-6 md:grid-cols-[auto_minmax(0,1fr)]"
    >
      <Preview key={live.id} url={live.url} name={project.name} />
      <Facts>
        <Fact name="Status">
          <Status tone="live">Live</Status>
        </Fact>
        <Fact name="Published">
          <Time at={live.activatedAt ?? live.createdAt} /> by {live.createdBy}
        </Fact>
        <Fact name="Size">
          {filesWord(live.files)}, {fileSize(live.bytes)}
        </Fact>
        <Fact name="Deployment">
          <Link to={paths.deployment(project.slug, live.id)} className="link font-mono text-small">
            {live.id}
          </Link>
        </Fact>
      </Facts>
    </section>
  )
}
