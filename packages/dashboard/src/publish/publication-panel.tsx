import type { Deployment } from '@masthead/contract/schemas/deployment.ts'
import type { Project } from '@masthead/contract/schemas/project.ts'
import { useEffect, useRef } from 'react'
import { useActivate } from '../data/deployments.ts'
import { ProblemNotice } from '../problem-notice.tsx'
import { Button, buttonClass } from '../ui/button.tsx'
import { focusPage } from '../ui/focus-page.ts'
import { ProgressBar } from '../ui/progress-bar.tsx'
import { DeploymentWarnings } from './deployment-warnings.tsx'
import { PublicationFiles } from './publication-files.tsx'
import { isRunning, mayRetry, type PublicationView, stepFraction } from './publication-view.ts'
import { cancelPublication, dismissPublication, retryPublication } from './publications.ts'
import { publicationWords } from './words.ts'

/** A publication as it goes on, file by file and in all. */
export function PublicationPanel({ project, view }: { project: Project; view: PublicationView }) {
  const { title, detail } = publicationWords(view)
  const { step, error, deployment } = view
  const isPreview = step === 'done' && deployment?.active === false
  const running = isRunning(view)
  const panel = useRef<HTMLElement>(null)
  // The button goes with what it does; the focus stays where the eye is.
  const act = (does: (project: string) => void, focus: () => void) => () => {
    focus()
    does(project.id)
  }
  const stay = () => panel.current?.focus()
  // Whoever comes from the form of a new project has left the focus there.
  useEffect(() => {
    if (document.activeElement === document.body) panel.current?.focus()
  }, [])
  return (
    <section
      ref={panel}
      tabIndex={-1}
      aria-label="Publication"
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
          {running && step !== 'finishing' && <Button onClick={act(cancelPublication, stay)}>Cancel</Button>}
          {!running && (
            <Button look="quiet" onClick={act(dismissPublication, focusPage)}>
              Dismiss
            </Button>
          )}
          {mayRetry(view) && (
            <Button look="primary" onClick={act(retryPublication, stay)}>
              {step === 'failed' ? 'Try again' : 'Start again'}
            </Button>
          )}
          {step === 'done' && (
            <a
              href={isPreview ? deployment.url : project.primaryUrl}
              target="_blank"
              rel="noopener noreferrer"
              className={buttonClass(isPreview ? 'plain' : 'primary')}
            >
              {isPreview ? 'Open the preview' : 'Open the site'}
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
      {view.kind === 'folder' && <PublicationFiles view={view} />}
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
            dismissPublication(project.id)
          },
        })
      }
    >
      Make it live
    </Button>
  )
}
