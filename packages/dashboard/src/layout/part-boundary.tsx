import { Component, type ReactNode, Suspense } from 'react'
import { Outlet, useLocation } from 'react-router'
import { Button } from '../ui/button.tsx'
import { Notice, useToast } from '../ui/notices.tsx'
import { Page } from '../ui/page.tsx'
import { FrontPage, PageWaiting, Waiting } from './front-page.tsx'
import { type NotLoadedReason, PartNotLoadedError } from './lazy-part.tsx'

interface PartBoundaryProps {
  /** A change clears the error. */
  at: string
  onFailed?: (error: PartNotLoadedError) => void
  /** Shown instead of a part that could not be loaded. */
  instead: (error: PartNotLoadedError, retry: () => void) => ReactNode
  children: ReactNode
}

interface PartBoundaryState {
  at: string
  error: unknown
}

/** Keeps a part that could not be loaded from replacing everything around it. Other errors go to AppError. */
class PartBoundary extends Component<PartBoundaryProps, PartBoundaryState> {
  override state: PartBoundaryState = { at: this.props.at, error: null }

  static getDerivedStateFromProps({ at }: PartBoundaryProps, state: PartBoundaryState) {
    return at === state.at ? null : { at, error: null }
  }

  static getDerivedStateFromError(error: unknown) {
    return { error }
  }

  override componentDidCatch(error: unknown) {
    if (!(error instanceof PartNotLoadedError)) return
    error.forget()
    this.props.onFailed?.(error)
  }

  override render() {
    const { error } = this.state
    if (error === null) return this.props.children
    if (!(error instanceof PartNotLoadedError)) throw error
    return this.props.instead(error, () => this.setState({ error: null }))
  }
}

const notLoadedTitle = 'This page could not be loaded'

/** The page inside a frame. */
export function FramedOutlet() {
  return (
    <PartBoundary
      at={useLocation().pathname}
      instead={(error, retry) => (
        <Page title={notLoadedTitle}>
          <NotLoadedNotice error={error} onRetry={retry} />
        </Page>
      )}
    >
      <Suspense fallback={<PageWaiting />}>
        <Outlet />
      </Suspense>
    </PartBoundary>
  )
}

/** Around everything, for the pages without a frame. */
export function UnframedPages({ children }: { children: ReactNode }) {
  return (
    <PartBoundary
      at={useLocation().pathname}
      instead={(error, retry) => (
        <FrontPage title={notLoadedTitle}>
          <NotLoadedNotice error={error} onRetry={retry} />
        </FrontPage>
      )}
    >
      <Suspense fallback={<Waiting />}>{children}</Suspense>
    </PartBoundary>
  )
}

interface LazyDialogProps {
  onClose: () => void
  children: ReactNode
}

/** A dialog whose code is loaded when it opens. If that fails, it closes and a message says so. */
export function LazyDialog({ onClose, children }: LazyDialogProps) {
  const say = useToast()
  function fail(error: PartNotLoadedError) {
    onClose()
    const { title, fix } = notLoadedWords[error.reason]
    const words = `${title} ${fix}`
    say(error.reason === 'unreachable' ? { words } : { words, action: { label: 'Reload', run: reload } })
  }
  return (
    <PartBoundary at="" onFailed={fail} instead={() => null}>
      <Suspense>{children}</Suspense>
    </PartBoundary>
  )
}

interface NotLoadedNoticeProps {
  error: PartNotLoadedError
  onRetry: () => void
}

function NotLoadedNotice({ error: { reason }, onRetry }: NotLoadedNoticeProps) {
  const { title, fix } = notLoadedWords[reason]
  return (
    <Notice tone="stopped" title={title}>
      {fix}
      <div className="mt-3 flex flex-wrap gap-2">
        {reason !== 'outdated' && <Button onClick={onRetry}>Try again</Button>}
        {reason !== 'unreachable' && <Button onClick={reload}>Reload</Button>}
      </div>
    </Notice>
  )
}

const reload = () => location.reload()

const notLoaded = 'A part of the dashboard could not be loaded.'

const notLoadedWords: Record<NotLoadedReason, { title: string; fix: string }> = {
  unreachable: { title: notLoaded, fix: 'Check your connection, then try again.' },
  outdated: { title: 'Masthead was updated.', fix: 'Reload the page.' },
  remembered: { title: notLoaded, fix: 'Try again, or reload the page.' },
}
