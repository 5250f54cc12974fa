import { useState } from 'react'
import { useLocation, useNavigate, useSearchParams } from 'react-router'

/** A dialog that opens by a button, or by a URL with its name as the fragment. */
export function useHashDialog(name: string): { isOpen: boolean; open: () => void; close: () => void } {
  const { hash, pathname, search } = useLocation()
  const navigate = useNavigate()
  const [opened, setOpened] = useState(false)
  const isNamed = hash === `#${name}`
  return {
    isOpen: opened || isNamed,
    open: () => setOpened(true),
    close() {
      setOpened(false)
      if (isNamed) navigate(pathname + search, { replace: true })
    },
  }
}

/** Filters live in the URL, so that they survive a reload and can be shared. */
export function useUrlFilter() {
  const [search, setSearch] = useSearchParams()

  /** An empty value removes the filter. */
  function choose(name: string, value: string) {
    setSearch(
      (before) => {
        const after = new URLSearchParams(before)
        if (value === '') after.delete(name)
        else after.set(name, value)
        return after
      },
      // The back button should not step through every choice.
      { replace: true },
    )
  }

  return { chosen: (name: string) => search.get(name), choose, clear: () => setSearch({}, { replace: true }) }
}
