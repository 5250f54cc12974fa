import { Component, type ErrorInfo, type ReactNode } from 'react'
import { Link } from 'react-router'
import { paths } from '../paths.ts'
import { Button, buttonClass } from '../ui/button.tsx'
import { DoubleRule } from '../ui/table.tsx'

interface FrontPageProps {
  title: string
  intro?: ReactNode
  /** For commands and digests, which are long. */
  wide?: boolean
  children?: ReactNode
}

/** A page for people who are not signed in yet: a newspaper's nameplate with one column under it. */
export function FrontPage({ title, intro, wide = false, children }: FrontPageProps) {
  return (
    <div className="mx-auto min-h-dvh w-full max-w-[720px] px-4 pt-8 pb-20 sm:px-7 sm:pt-14">
      <title>{`${title} · Masthead`}</title>
      <header>
        <a href="/" className="mx-auto block w-fit font-serif text-plate font-medium tracking-[-0.025em]">
          Masthead
        </a>
        <div className="mt-4">
          <DoubleRule />
          <p className="flex justify-between gap-4 border-b border-hairline py-2 text-small text-soft">
            <span className="min-w-0 truncate">{location.host}</span>
            <span className="shrink-0">{today()}</span>
          </p>
        </div>
      </header>
      <main className={`mx-auto mt-10 w-full sm:mt-14 ${wide ? '' : 'max-w-[384px]'}`}>
        <h1 className="text-title">{title}</h1>
        {intro !== undefined && <p className="mt-1.5 text-soft">{intro}</p>}
        <div className="mt-7">{children}</div>
      </main>
    </div>
  )
}

function today(): string {
  return new Date().toLocaleDateString('en-GB', {
    weekday: 'long',
    day: 'numeric',
    month: 'long',
    year: 'numeric',
  })
}

/** Fills the page, under the header of index.html. The word appears only after a moment, so that fast loads don't flicker. */
export function Waiting() {
  return (
    <>
      <div className="border-b border-hairline">
        <p className="flex h-14 items-center px-4 font-serif text-[22px] font-semibold tracking-[-0.015em] sm:px-7">
          Masthead
        </p>
      </div>
      <div role="status" className="after-a-moment grid min-h-[60dvh] place-items-center text-soft">
        Loading…
      </div>
    </>
  )
}

/** The same inside a frame that is already shown. */
export function PageWaiting() {
  return (
    <div role="status" className="after-a-moment mx-auto w-full max-w-[896px] px-4 pt-12 text-soft sm:px-7">
      Loading…
    </div>
  )
}

export function NotFoundPage() {
  return (
    <FrontPage
      title="Page not found"
      intro={
        <>
          There is nothing at <code className="font-mono text-small break-all">{location.pathname}</code>.
          Check the address, or start from your projects.
        </>
      }
    >
      <Link to={paths.home()} className={buttonClass('primary')}>
        Your projects
      </Link>
    </FrontPage>
  )
}

/** Shows an error page instead of a blank one when rendering fails. */
export class AppError extends Component<{ children: ReactNode }, { broken: unknown }> {
  override state = { broken: null }

  static getDerivedStateFromError(error: unknown) {
    return { broken: error ?? new Error('Something other than an error was thrown') }
  }

  override componentDidCatch(error: unknown, { componentStack }: ErrorInfo) {
    console.error(error, componentStack)
  }

  override render() {
    if (this.state.broken === null) return this.props.children
    return (
      <FrontPage
        title="Something went wrong"
        intro="This is our fault, and your sites are not affected. Reload the page. If that does not help, tell the operator what you were doing."
      >
        <Button look="primary" onClick={() => location.reload()}>
          Reload
        </Button>
      </FrontPage>
    )
  }
}
