import type { ReactNode } from 'react'

/** Covers the page while something is dragged over it, and says what dropping it does. */
export function DropHint({ children }: { children: ReactNode }) {
  return (
    <div className="fade-in pointer-events-none fixed inset-0 z-30 bg-paper/90 p-3 sm:p-5">
      <div className="grid h-full place-items-center rounded-sheet border border-dashed border-ink px-6">
        <p role="status" className="text-center font-serif text-title font-medium tracking-[-0.015em]">
          {children}
        </p>
      </div>
    </div>
  )
}
