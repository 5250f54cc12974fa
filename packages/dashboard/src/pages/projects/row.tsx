import type { Project } from '@masthead/contract/schemas/project.ts'
import { fileSize } from '../../ui/file-size.ts'
import { Status } from '../../ui/status.tsx'
import { Time } from '../../ui/time.tsx'

export function ProjectRow({ project }: { project: Project }) {
  const { name, url, activeDeployment: live } = project
  return (
    <li className="grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-6 gap-y-1 py-4.5">
      <h2 className="truncate font-sans text-name font-medium tracking-normal">{name}</h2>
      {live === null ? <Status tone="idle">Nothing published yet</Status> : <Status tone="live">Live</Status>}
      <a
        href={url}
        target="_blank"
        rel="noopener noreferrer"
        className="link col-span-2 w-fit max-w-full font-mono text-small break-all sm:col-span-1"
      >
        {withoutScheme(url)}
      </a>
      <p className="col-span-2 text-small text-soft sm:col-span-1 sm:text-right">
        {live === null ? (
          <>
            Created <Time at={project.createdAt} />
          </>
        ) : (
          <>
            {live.files === 1 ? '1 file' : `${live.files.toLocaleString('en')} files`}, {fileSize(live.bytes)}{' '}
            · published <Time at={live.activatedAt ?? live.createdAt} />
          </>
        )}
      </p>
    </li>
  )
}

function withoutScheme(url: string): string {
  return url.replace(/^https?:\/\//, '').replace(/\/$/, '')
}
