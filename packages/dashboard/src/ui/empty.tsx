import type { ReactNode } from 'react'

/** An empty place teaches: what would be here, and the one thing to do first. */
export function Empty({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="border-t border-ink pt-8">
      <h2 className="text-section">{title}</h2>
      <div className="mt-1 max-w-[60ch] text-soft">{children}</div>
    </section>
  )
}
