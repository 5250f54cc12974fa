import { useEffect, useRef } from 'react'

/**
 * For a place whose buttons come and go: when the one that had the focus is gone, the place itself takes it, so that
 * whoever uses the keyboard stays there. `change` is what makes them come and go.
 */
export function useKeptFocus<E extends HTMLElement>(change: unknown) {
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
