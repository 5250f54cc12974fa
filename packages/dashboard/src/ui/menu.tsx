import { type ReactNode, useId } from 'react'

/** Of an item of a menu, be it a button or a link. */
export const menuItem =
  'block w-full truncate rounded-chip px-3 py-2 text-left transition-colors duration-150 hover:bg-wash focus-visible:-outline-offset-2'

interface MenuProps {
  label: string
  /** What the button shows. */
  button: ReactNode
  buttonClass: string
  /** Where it opens, by classes. */
  place: string
  children: ReactNode
}

/** The browser's own popover: it closes with Escape and by a click elsewhere, and gives the focus back. */
export function Menu({ label, button, buttonClass, place, children }: MenuProps) {
  const id = useId()
  return (
    <>
      <button type="button" popoverTarget={id} aria-label={label} className={buttonClass}>
        {button}
      </button>
      <div
        id={id}
        popover="auto"
        className={`absolute inset-auto w-64 rounded-sheet border border-hairline bg-sheet p-1.5 text-ink shadow-float ${place}`}
      >
        {children}
      </div>
    </>
  )
}
