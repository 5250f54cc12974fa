import type { ReactNode } from 'react'

/** A quiet word beside a name. */
export function Badge({ children }: { children: ReactNode }) {
  return (
    <span className="inline-flex max-w-full shrink-0 rounded-[14px] border border-hairline px-2.5 py-0.5 text-small text-soft wrap-anywhere">
      {children}
    </span>
  )
}
