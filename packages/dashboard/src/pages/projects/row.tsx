import type { Project } from '@masthead/contract/schemas/project.ts'
import { Link } from 'react-router'
import { paths } from '../../paths.ts'
import { isRunning, stepFraction } from '../../publish/publication-view.ts'
import { usePublication } from '../../publish/publications.ts'
import { filesWord } from '../../publish/words.ts'
import { SiteAddress } from '../../site-address.tsx'
import { fileSize } from '../../ui/file-size.ts'
import { Status } from '../../ui/status.tsx'
import { Time } from '../../ui/time.tsx'

export function ProjectRow({ project }: { project: Project }) {
  const { name, slug, primaryUrl, activeDeployment: live } = project
  return (
    <li className="grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-6 gap-y-1 py-4.5">
      <h2
        className="line-clamp-2 font-sans text-name font-medium tracking-normal wrap-anywhere sm:line-clamp-1"
        title={name}
      >
        <Link to={paths.project(slug)} className="underline-offset-3 hover:underline">
          {name}
        </Link>
      </h2>
      <ProjectStatus project={project} />
      <SiteAddress url={primaryUrl} className="col-span-2 w-fit max-w-full sm:col-span-1" />
      <p className="col-span-2 text-small text-soft sm:col-span-1 sm:text-right">
        {live === null ? (
          <>
            Created <Time at={project.createdAt} />
          </>
        ) : (
          <>
            {filesWord(live.files)}, {fileSize(live.bytes)} · published{' '}
            <Time at={live.activatedAt ?? live.createdAt} />
          </>
        )}
      </p>
    </li>
  )
}

function ProjectStatus({ project }: { project: Project }) {
  const publication = usePublication(project.id)
  if (publication !== null && isRunning(publication)) {
    return <Status tone="waiting">Publishing, {Math.floor(stepFraction(publication) * 100)} %</Status>
  }
  if (project.activeDeployment === null) return <Status tone="idle">Nothing published yet</Status>
  return <Status tone="live">Live</Status>
}
