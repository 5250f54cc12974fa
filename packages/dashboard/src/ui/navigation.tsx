import { type ReactNode, useEffect, useId, useRef } from 'react'
import { NavLink, useLocation } from 'react-router'

export interface Tab {
  to: string
  label: string
  /** Active only for this URL, not for those below it. */
  exact?: boolean
}

export function Tabs({ label, tabs }: { label: string; tabs: readonly Tab[] }) {
  return (
    <nav aria-label={label} className="border-b border-hairline print:hidden">
      <ul className="flex flex-wrap gap-x-3 px-4 max-sm:text-small sm:gap-6 sm:px-7">
        {tabs.map(({ to, label, exact = false }) => (
          <li key={to} className="shrink-0">
            <NavLink
              to={to}
              end={exact}
              className={({ isActive }) =>
                `block border-b-2 pt-3 pb-2.75 transition-colors duration-150 focus-visible:-outline-offset-2 ${isActive ? 'border-ink font-medium' : 'border-transparent text-soft hover:text-ink forced-colors:border-[Canvas]'}`
              }
            >
              {label}
            </NavLink>
          </li>
        ))}
      </ul>
    </nav>
  )
}

/** Tabs beside the page, or above it on a phone. */
export function SideTabs({ label, tabs }: { label: string; tabs: readonly Tab[] }) {
  return (
    <nav aria-label={label} className="print:hidden">
      <ul className="flex flex-wrap gap-x-5 gap-y-1 md:flex-col md:gap-3">
        {tabs.map(({ to, label, exact = false }) => (
          <li key={to} className="shrink-0">
            <NavLink
              to={to}
              end={exact}
              className={({ isActive }) =>
                `block py-0.5 transition-colors duration-150 ${isActive ? 'font-medium forced-colors:underline' : 'text-soft hover:text-ink'}`
              }
            >
              {label}
            </NavLink>
          </li>
        ))}
      </ul>
    </nav>
  )
}

/** Classes for a menu item, a button or a link. */
export const menuItem =
  'block w-full truncate rounded-chip px-3 py-2 text-left transition-colors duration-150 hover:bg-wash focus-visible:-outline-offset-2'

interface MenuProps {
  label: string
  button: ReactNode
  buttonClass: string
  /** Classes for its position. */
  position: string
  children: ReactNode
}

/** The browser's popover, which closes with Escape or a click outside and restores the focus. */
export function Menu({ label, button, buttonClass, position, children }: MenuProps) {
  const id = useId()
  const menu = useRef<HTMLDivElement>(null)
  const { key } = useLocation()

  // Each navigation has a key of its own, also one to the page that is shown already.
  useEffect(() => {
    if (key !== '') menu.current?.hidePopover()
  }, [key])

  return (
    <>
      <button type="button" popoverTarget={id} aria-label={label} className={buttonClass}>
        {button}
      </button>
      <div
        ref={menu}
        id={id}
        popover="auto"
        className={`absolute inset-auto w-64 rounded-sheet border border-hairline bg-sheet p-1.5 text-ink shadow-float ${position}`}
      >
        {children}
      </div>
    </>
  )
}
