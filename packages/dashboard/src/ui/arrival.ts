import { useEffect, useLayoutEffect, useRef, useState } from 'react'
import { useLocation, useNavigationType } from 'react-router'

/**
 * For a page: one that a link leads to begins at its top, and takes the focus where the link is gone with the page
 * before. What is loaded, or gone back to, is the browser's: it knows where one was.
 */
export function useArrival<E extends HTMLElement>() {
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
