import type { ReactNode } from 'react'

/** A list as a newspaper sets it: a strong rule opens it, hairlines divide it. */
export function RuledList({ label, children }: { label: string; children: ReactNode }) {
  return (
    <ul aria-label={label} className="divide-y divide-hairline border-t border-ink">
      {children}
    </ul>
  )
}

/** The double rule under a nameplate. */
export function DoubleRule() {
  return <div aria-hidden="true" className="h-1.25 border-t border-b border-t-ink border-b-hairline" />
}
