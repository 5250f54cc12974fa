import type { ReactNode } from 'react'

/** What is there for whoever wants to know, and not in the way of anybody else. */
export function Disclosure({ summary, children }: { summary: ReactNode; children: ReactNode }) {
  return (
    <details className="group">
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
