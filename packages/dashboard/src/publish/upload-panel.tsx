import type { Deployment } from '@masthead/contract/schemas/deployment.ts'
import type { Project } from '@masthead/contract/schemas/project.ts'
import { formatBytes } from '@masthead/contract/text/byte-size.ts'
import { useEffect, useRef } from 'react'
import { useActivate } from '../data/deployments.ts'
import { ProblemNotice } from '../problem-notice.tsx'
import { Button, buttonClass, FileButton } from '../ui/button.tsx'
import { focusPage } from '../ui/focus.tsx'
import { Notice } from '../ui/notices.tsx'
import { Disclosure } from '../ui/page.tsx'
import { ProgressBar } from '../ui/status.tsx'
import { type FileProgress, type FileState, fileStateWords } from './progress.ts'
import type { Source } from './read-site.ts'
import { canRetry, filesWord, isRunning, stepFraction, type UploadView, uploadWords } from './upload-view.ts'
import { cancelUpload, dismissUpload, retryUpload } from './uploads.ts'

interface UploadPanelProps {
  project: Project
  view: UploadView
  onSource: (source: Source) => void
}

export function UploadPanel({ project, view, onSource }: UploadPanelProps) {
  const { title, detail } = uploadWords(view)
  const { step, error, deployment } = view
  const isPreview = step === 'done' && deployment?.active === false
  const running = isRunning(view)
  const panel = useRef<HTMLElement>(null)
  // The button disappears, so move the focus first.
  const act = (run: (project: string) => void, focus: () => void) => () => {
    focus()
    run(project.id)
  }
  const stay = () => panel.current?.focus()
  // After the form of a new project, nothing has the focus.
  useEffect(() => {
    if (document.activeElement === document.body) panel.current?.focus()
  }, [])
  return (
    <section
      ref={panel}
      tabIndex={-1}
      aria-label="Upload"
      className="fade-in mb-12 border-t border-ink pt-5 outline-none"
    >
      <div className="flex flex-wrap items-start justify-between gap-x-6 gap-y-3">
        <div className="min-w-0">
          <h2 className="text-section">{title}</h2>
          <p role="status" className="sr-only">
            {title}
          </p>
          <p className="mt-0.5 text-soft">{detail}</p>
        </div>
        <div className="flex flex-wrap gap-2">
          {running && step !== 'finishing' && <Button onClick={act(cancelUpload, stay)}>Cancel</Button>}
          {!running && (
            <Button look="quiet" onClick={act(dismissUpload, focusPage)}>
              Dismiss
            </Button>
          )}
          {canRetry(view) && (
            <Button look="primary" onClick={act(retryUpload, stay)}>
              {step === 'failed' ? 'Try again' : 'Start again'}
            </Button>
          )}
          {step === 'failed' && view.needsFolder && (
            <FileButton folder onChoose={(files) => onSource({ kind: 'folder', files })}>
              Choose the folder again
            </FileButton>
          )}
          {step === 'done' && (
            <a
              href={isPreview ? deployment.url : project.primaryUrl}
              target="_blank"
              rel="noopener noreferrer"
              className={buttonClass(isPreview ? 'plain' : 'primary')}
            >
              {isPreview ? 'Open preview' : 'Open site'}
            </a>
          )}
          {isPreview && <GoLiveButton project={project} deployment={deployment.id} />}
        </div>
      </div>
      {(running || step === 'done') && (
        <div className="mt-4">
          <ProgressBar
            label="Publishing"
            fraction={stepFraction(view)}
            words={detail}
            tone={running ? 'ink' : 'live'}
          />
        </div>
      )}
      {step === 'failed' && error !== null && (
        <div className="mt-4">
          <ProblemNotice error={error} />
        </div>
      )}
      {step === 'done' && deployment !== null && <DeploymentWarnings deployment={deployment} />}
      {view.kind === 'folder' && <UploadFiles view={view} />}
    </section>
  )
}

function GoLiveButton({ project, deployment }: { project: Project; deployment: Deployment['id'] }) {
  const activate = useActivate(project)
  return (
    <Button
      look="primary"
      pending={activate.isPending && 'Going live…'}
      onClick={() =>
        activate.mutate(deployment, {
          onSuccess: () => {
            focusPage()
            dismissUpload(project.id)
          },
        })
      }
    >
      Make live
    </Button>
  )
}

const tones: Readonly<Record<FileState, string>> = {
  waiting: 'text-soft',
  hashing: 'text-ink',
  hashed: 'text-soft',
  sending: 'text-ink',
  there: 'text-soft',
  sent: 'text-live',
  failed: 'text-stopped',
}

/** A few active files while uploading, then those that failed. */
function UploadFiles({ view }: { view: UploadView }) {
  const { files, counts } = view.progress
  const running = isRunning(view)
  const shown = running ? view.shown : view.shown.filter(({ state }) => state === 'failed')
  if (shown.length === 0) return null
  const rest = (running ? files : counts.failed) - shown.length
  return (
    <>
      <ul
        aria-label={running ? 'Files' : 'Files that failed'}
        className="mt-4 divide-y divide-hairline rounded-sheet border border-hairline bg-sheet"
      >
        {shown.map((file) => (
          <FileRow key={file.path} file={file} />
        ))}
      </ul>
      {rest > 0 && <p className="mt-2 text-small text-soft">and {rest.toLocaleString('en')} more</p>}
    </>
  )
}

function FileRow({ file }: { file: FileProgress }) {
  const { path, size, state, bytesSent, reason } = file
  const percent = size > 0 && bytesSent > 0 ? ` ${Math.floor((bytesSent / size) * 100)} %` : ''
  return (
    <li className="flex items-baseline justify-between gap-4 px-4 py-2 text-small">
      <span className="min-w-0 wrap-anywhere">
        <span className="font-mono">{path.slice(1)}</span>
        {reason !== null && <span className="text-stopped"> {reason}</span>}
      </span>
      <span className="flex shrink-0 gap-4">
        <span className="hidden text-soft sm:inline">{formatBytes(size)}</span>
        <span className={`w-26 text-right font-medium ${tones[state]}`}>
          {fileStateWords[state]}
          {state === 'sending' && percent}
        </span>
      </span>
    </li>
  )
}

const shownAtOnce = 5

function DiagnosticNotices({ diagnostics }: Pick<Deployment, 'diagnostics'>) {
  return diagnostics.map(({ file, line, level, message }) => (
    <Notice
      key={`${file}:${line}:${message}`}
      tone={level === 'error' ? 'stopped' : 'waiting'}
      title={line === null ? message : `${file.slice(1)}, line ${line}: ${message}`}
    />
  ))
}

export function DeploymentWarnings({
  deployment,
}: {
  deployment: Pick<Deployment, 'diagnostics' | 'leftOut'>
}) {
  const { diagnostics, leftOut } = deployment
  if (diagnostics.length === 0 && leftOut.files === 0) return null
  return (
    <div className="mt-4 flex flex-col gap-3">
      <DiagnosticNotices diagnostics={diagnostics.slice(0, shownAtOnce)} />
      {diagnostics.length > shownAtOnce && (
        <Disclosure summary={`${diagnostics.length - shownAtOnce} more`}>
          <div className="mt-2 flex flex-col gap-3">
            <DiagnosticNotices diagnostics={diagnostics.slice(shownAtOnce)} />
          </div>
        </Disclosure>
      )}
      {leftOut.files > 0 && (
        <Disclosure summary={`${filesWord(leftOut.files)} left out`}>
          <ul className="mt-2 font-mono text-small">
            {leftOut.paths.map((path) => (
              <li key={path} className="wrap-anywhere">
                {path}
              </li>
            ))}
          </ul>
        </Disclosure>
      )}
    </div>
  )
}
