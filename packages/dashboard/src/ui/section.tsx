import type { ReactNode } from 'react'

interface SectionProps {
  title: string
  lede?: ReactNode
  /** Stands at the right of the title. */
  aside?: ReactNode
  children: ReactNode
}

/** A part of a page under a title of its own. */
export function Section({ title, lede, aside, children }: SectionProps) {
  return (
    <section className="mt-12 first:mt-0">
      <div className="flex flex-wrap items-end justify-between gap-x-6 gap-y-2">
        <h2 className="text-section">{title}</h2>
        {aside}
      </div>
      {lede !== undefined && <p className="mt-1 max-w-[60ch] text-soft">{lede}</p>}
      <div className="mt-4">{children}</div>
    </section>
  )
}
