import { useState } from 'react'
import { useLocation, useNavigate, useSearchParams } from 'react-router'

/** Whether a dialog of the page is open: by a button there, or by an address that ends in its name. */
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

/** What is filtered by stands in the address, so that it survives a reload and can be passed on. */
export function useUrlFilter() {
  const [search, setSearch] = useSearchParams()

  /** An empty value takes the filter away. */
  function choose(name: string, value: string) {
    setSearch(
      (before) => {
        const after = new URLSearchParams(before)
        if (value === '') after.delete(name)
        else after.set(name, value)
        return after
      },
      // Going back leads to the page before, not through every choice.
      { replace: true },
    )
  }

  return { chosen: (name: string) => search.get(name), choose, clear: () => setSearch({}, { replace: true }) }
}
