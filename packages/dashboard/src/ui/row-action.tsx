import type { ReactNode } from 'react'

interface RowActionProps {
  /** Says which row it is about. */
  label: string
  onClick: () => void
  /** It ends nothing. */
  harmless?: boolean
  children: ReactNode
}

/** What can be done about a row and is asked about before it is done: quiet, and large enough for a finger. */
export function RowAction({ label, onClick, harmless = false, children }: RowActionProps) {
  return (
    <button
      type="button"
      aria-label={label}
      onClick={onClick}
      className={`link -my-1.5 py-1.5 whitespace-nowrap text-soft sm:no-underline ${harmless ? 'hover:text-ink' : 'hover:text-stopped'}`}
    >
      {children}
    </button>
  )
}
