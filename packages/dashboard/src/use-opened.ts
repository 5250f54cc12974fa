import { useState } from 'react'
import { useLocation, useNavigate } from 'react-router'

/** Whether a dialog of the page is open: by a button there, or by an address that ends in its name. */
export function useOpened(name: string): { isOpen: boolean; open: () => void; close: () => void } {
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
