import type { ReactNode } from 'react'

/** Names and what they stand for, as a list between rules. */
export function Facts({ children }: { children: ReactNode }) {
  return <dl className="divide-y divide-hairline border-t border-ink">{children}</dl>
}

export function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="grid gap-x-6 py-2.5 sm:grid-cols-[160px_minmax(0,1fr)]">
      <dt className="text-soft">{name}</dt>
      <dd className="min-w-0 wrap-anywhere">{children}</dd>
    </div>
  )
}
