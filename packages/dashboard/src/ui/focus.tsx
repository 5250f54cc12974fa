import { type ReactNode, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { useLocation, useNavigationType } from 'react-router'

/** Where what had the focus is gone with a row, the focus goes to the page that held it, not to nowhere. */
export function focusPage(): void {
  // After a dialog has closed, which gives the focus back to where it came from.
  setTimeout(() => document.getElementById('main')?.focus({ preventScroll: true }))
}

/**
 * For a place whose buttons come and go: when the one that had the focus is gone, the place itself takes it, so that
 * whoever uses the keyboard stays there. `change` is what makes them come and go.
 */
export function useFocusFallback<E extends HTMLElement>(change: unknown) {
  const place = useRef<E>(null)
  const isWithin = useRef(false)
  useEffect(() => {
    if (change !== undefined && isWithin.current && document.activeElement === document.body) {
      place.current?.focus({ preventScroll: true })
    }
  }, [change])
  return {
    ref: place,
    tabIndex: -1,
    onFocus: () => {
      isWithin.current = true
    },
    // Without a related target the focus went nowhere, as it does when its element is removed.
    onBlur: ({ relatedTarget }: { relatedTarget: EventTarget | null }) => {
      isWithin.current = relatedTarget === null
    },
  }
}

/**
 * For a page: one that a link leads to begins at its top, and takes the focus where the link is gone with the page
 * before. What is loaded, or gone back to, is the browser's: it knows where one was.
 */
export function useNavigationFocus<E extends HTMLElement>() {
  const page = useRef<E>(null)
  const { hash } = useLocation()
  const type = useNavigationType()
  // As it was when the page came: a filter changes the address too, and moves nothing.
  const [arrival] = useState({ led: type !== 'POP', toTop: type === 'PUSH' && hash === '' })

  // Before anything on the page leads elsewhere by an effect of its own.
  useLayoutEffect(() => {
    if (arrival.toTop) scrollTo(0, 0)
  }, [arrival])

  useEffect(() => {
    if (arrival.led && document.activeElement === document.body) page.current?.focus({ preventScroll: true })
  }, [arrival])

  return page
}

/** What came up elsewhere on the page than where somebody just acted is brought before their eyes. */
export function ScrollIntoView({ children }: { children: ReactNode }) {
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => {
    place.current?.scrollIntoView({ block: 'nearest' })
  }, [])
  return (
    <div ref={place} className="scroll-my-6">
      {children}
    </div>
  )
}
