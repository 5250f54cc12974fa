import type { Deployment } from '@masthead/contract/schemas/deployment.ts'
import { useRef } from 'react'
import { Link } from 'react-router'
import { useProject } from '../../../layout/project-frame.tsx'
import { useMay } from '../../../layout/signed-in.tsx'
import { paths } from '../../../paths.ts'
import { buttonClass } from '../../../ui/button.tsx'
import { fileSize } from '../../../ui/file-size.ts'
import { Time } from '../../../ui/time.tsx'
import { ActivateButton } from './activate-button.tsx'
import { fileCount } from './file-count.ts'
import { DeploymentStatus } from './state.tsx'

export function DeploymentRow({ deployment }: { deployment: Deployment }) {
  const { id, state, url, files, bytes, createdBy, createdAt } = deployment
  const { slug } = useProject()
  // Rows without the button keep its place, so that what stands before it lines up.
  const mayServe = useMay('deploy')
  const name = useRef<HTMLAnchorElement>(null)
  return (
    <li className="flex flex-wrap items-center justify-between gap-x-6 gap-y-3 py-4.5">
      <div className="min-w-0 grow basis-80">
        <h2 className="flex flex-wrap items-center gap-x-3 gap-y-1 font-sans tracking-normal">
          <Link
            ref={name}
            to={paths.deployment(slug, id)}
            className="min-w-0 font-mono text-body font-medium wrap-anywhere decoration-edge underline-offset-3 hover:underline"
          >
            {id}
          </Link>
          <DeploymentStatus deployment={deployment} />
        </h2>
        <p className="mt-1 text-small text-soft">
          {state === 'uploading' ? (
            <>
              Upload of {fileCount(files)} started <Time at={createdAt} /> by {createdBy}. Nothing of it is
              served until every file is here.
            </>
          ) : (
            <>
              Made <Time at={createdAt} /> by {createdBy} · {fileCount(files)}, {fileSize(bytes)}
            </>
          )}
        </p>
      </div>
      {state === 'ready' && (
        <div className="-ml-4 flex shrink-0 flex-wrap items-center gap-2 sm:ml-0">
          <a
            href={url}
            target="_blank"
            rel="noopener noreferrer"
            aria-label={`Preview ${id}`}
            className={buttonClass('quiet')}
          >
            Preview <span aria-hidden="true">&nbsp;↗</span>
          </a>
          <div className={`flex justify-end ${mayServe ? 'sm:min-w-[144px]' : ''}`}>
            <ActivateButton deployment={deployment} onLive={() => name.current?.focus()} />
          </div>
        </div>
      )}
    </li>
  )
}
