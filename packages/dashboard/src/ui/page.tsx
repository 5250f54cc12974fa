import { createContext, type ReactNode, useContext } from 'react'
import { useNavigationFocus } from './focus.tsx'

interface PageProps {
  title: string
  intro?: ReactNode
  /** Shown to the right of the title. */
  aside?: ReactNode
  children?: ReactNode
}

/** Shown after the page title in the browser tab. */
export const TitleContext = createContext<string | null>(null)

export function Page({ title, intro, aside, children }: PageProps) {
  const main = useNavigationFocus<HTMLElement>()
  const partOf = useContext(TitleContext)
  return (
    <main
      ref={main}
      id="main"
      tabIndex={-1}
      className="mx-auto w-full max-w-[896px] px-4 pt-9 pb-20 outline-none sm:px-7 sm:pt-12"
    >
      <title>{[...new Set([title, partOf, 'Masthead'])].filter(Boolean).join(' · ')}</title>
      <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-3">
        <h1 dir="auto" className="min-w-0 text-title wrap-anywhere">
          {title}
        </h1>
        {aside}
      </div>
      {intro !== undefined && <p className="mt-1.5 max-w-[60ch] text-soft">{intro}</p>}
      <div className="mt-8">{children}</div>
    </main>
  )
}

interface SectionProps {
  title: string
  intro?: ReactNode
  /** Shown to the right of the title. */
  aside?: ReactNode
  children: ReactNode
}

export function Section({ title, intro, aside, children }: SectionProps) {
  return (
    <section className="mt-12 first:mt-0">
      <div className="flex flex-wrap items-end justify-between gap-x-6 gap-y-2">
        <h2 className="min-w-0 text-section wrap-anywhere">{title}</h2>
        {aside}
      </div>
      {intro !== undefined && <p className="mt-1 max-w-[60ch] text-soft">{intro}</p>}
      <div className="mt-4">{children}</div>
    </section>
  )
}

/** Says what would be here and what to do first. */
export function Empty({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="border-t border-ink pt-8">
      <h2 className="text-section">{title}</h2>
      <div className="mt-1 max-w-[60ch] text-soft">{children}</div>
    </section>
  )
}

interface DisclosureProps {
  summary: ReactNode
  /** For content that is loaded only while it is shown. */
  onToggle?: (isOpen: boolean) => void
  children: ReactNode
}

export function Disclosure({ summary, onToggle, children }: DisclosureProps) {
  return (
    <details className="group" onToggle={({ currentTarget }) => onToggle?.(currentTarget.open)}>
      <summary className="flex w-fit cursor-pointer list-none items-baseline gap-2 text-small text-soft transition-colors duration-150 hover:text-ink [&::-webkit-details-marker]:hidden">
        <span
          aria-hidden="true"
          className="inline-block transition-transform duration-150 group-open:rotate-90"
        >
          ›
        </span>
        {summary}
      </summary>
      <div className="mt-3">{children}</div>
    </details>
  )
}

/** A placeholder for rows, shown after a moment. */
export function SkeletonRows({ rows }: { rows: number }) {
  return (
    <div
      role="status"
      aria-label="Loading"
      className="after-a-moment divide-y divide-hairline border-t border-ink"
    >
      {Array.from({ length: rows }, (_, row) => (
        <div key={`row-${row + 1}`} className="flex flex-col gap-3 py-5">
          <div className="h-4 w-40 rounded-chip bg-wash" />
          <div className="h-3 w-64 max-w-full rounded-chip bg-wash" />
        </div>
      ))}
    </div>
  )
}
