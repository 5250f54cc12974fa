import { type ReactNode, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { useLocation, useNavigationType } from 'react-router'

/** For when the focused element was removed: otherwise the focus would be lost. */
export function focusPage(): void {
  // Wait until a closing dialog has restored the focus.
  setTimeout(() => document.getElementById('main')?.focus({ preventScroll: true }))
}

/** The same, unless something has taken the focus. */
export function focusPageIfLost(): void {
  setTimeout(() => {
    if (document.activeElement === document.body)
      document.getElementById('main')?.focus({ preventScroll: true })
  })
}

/**
 * For an element whose buttons come and go: it takes the focus when the focused button is removed, so that keyboard
 * users stay there. `change` is the state that adds and removes them.
 */
export function useFocusFallback<E extends HTMLElement>(change: unknown) {
  const container = useRef<E>(null)
  const isWithin = useRef(false)
  useEffect(() => {
    if (change !== undefined && isWithin.current && document.activeElement === document.body) {
      container.current?.focus({ preventScroll: true })
    }
  }, [change])
  return {
    ref: container,
    tabIndex: -1,
    onFocus: () => {
      isWithin.current = true
    },
    // There is no related target when the focused element is removed.
    onBlur: ({ relatedTarget }: { relatedTarget: EventTarget | null }) => {
      isWithin.current = relatedTarget === null
    },
  }
}

/**
 * Scrolls a page opened by a link to its top, and focuses it if the link is gone. After a reload or going back, the
 * browser restores the position.
 */
export function useNavigationFocus<E extends HTMLElement>() {
  const page = useRef<E>(null)
  const { hash } = useLocation()
  const type = useNavigationType()
  // From the first render: later a filter changes the URL too, but should not scroll.
  const [navigation] = useState({ byLink: type !== 'POP', toTop: type === 'PUSH' && hash === '' })

  // Before other effects on the page scroll elsewhere.
  useLayoutEffect(() => {
    if (navigation.toTop) scrollTo(0, 0)
  }, [navigation])

  useEffect(() => {
    if (navigation.byLink && document.activeElement === document.body)
      page.current?.focus({ preventScroll: true })
  }, [navigation])

  return page
}

/** Scrolls to its content when it appears. */
export function ScrollIntoView({ children }: { children: ReactNode }) {
  const container = useRef<HTMLDivElement>(null)
  useEffect(() => {
    container.current?.scrollIntoView({ block: 'nearest' })
  }, [])
  return (
    <div ref={container} className="scroll-my-6">
      {children}
    </div>
  )
}
