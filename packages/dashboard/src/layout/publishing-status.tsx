import { Link, useLocation } from 'react-router'
import { paths } from '../paths.ts'
import { isRunning, stepFraction, uploadWords } from '../publish/upload-view.ts'
import { dismissUpload, type TrackedUpload, useUploads } from '../publish/uploads.ts'
import { Button } from '../ui/button.tsx'
import { ProgressBar } from '../ui/status.tsx'

/** Uploads in progress, except on the project's own page, which shows the details. */
export function PublishingStatus() {
  const { pathname } = useLocation()
  const elsewhere = useUploads().filter(({ project }) => pathname !== paths.project(project.slug))
  if (elsewhere.length === 0) return null
  return (
    <ul
      aria-label="Uploads"
      className="fixed right-4 bottom-4 left-4 z-10 flex flex-col gap-2 sm:left-auto sm:w-80"
    >
      {elsewhere.map((upload) => (
        <UploadStatus key={upload.project.id} upload={upload} />
      ))}
    </ul>
  )
}

function UploadStatus({ upload: { project, view } }: { upload: TrackedUpload }) {
  const { title, detail } = uploadWords(view)
  const running = isRunning(view)
  return (
    <li className="fade-in rounded-sheet border border-hairline bg-sheet px-4 py-3 shadow-float">
      <div className="flex items-start justify-between gap-3">
        <p className="min-w-0">
          <Link to={paths.project(project.slug)} className="link font-medium wrap-anywhere">
            <bdi>{project.name}</bdi>
          </Link>
          <span role="status" className="block text-small text-soft">
            {title}
          </span>
        </p>
        {!running && (
          <Button look="quiet" onClick={() => dismissUpload(project.id)}>
            Dismiss
          </Button>
        )}
      </div>
      {running && (
        <div className="mt-2">
          <ProgressBar label={`Publishing ${project.name}`} fraction={stepFraction(view)} words={detail} />
          <p className="mt-1 text-small text-soft">{detail}</p>
        </div>
      )}
    </li>
  )
}
