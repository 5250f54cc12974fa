import type { ReactNode } from 'react'

/** A quiet word beside a name. */
export function Badge({ children }: { children: ReactNode }) {
  return (
    <span className="inline-flex shrink-0 rounded-full border border-hairline px-2.5 py-0.5 text-small text-soft">
      {children}
    </span>
  )
}
