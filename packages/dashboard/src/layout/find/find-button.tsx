import { lazy, Suspense, useEffect, useState } from 'react'

const load = () => import('./find-dialog.tsx')
const FindDialog = lazy(async () => ({ default: (await load()).FindDialog }))

const isApple = /^(Mac|iP)/.test(navigator.platform)
const shortcut = isApple ? '⌘K' : 'Ctrl K'

/** Opens what finds everything, by a click or by its keys. It is loaded when somebody is about to use it. */
export function FindButton() {
  const [open, setOpen] = useState(false)

  useEffect(() => {
    function press(event: KeyboardEvent) {
      // The modifier comes first: by the time of the letter it is loaded.
      if (event.key === 'Meta' || event.key === 'Control') void load()
      const modified = isApple ? event.metaKey : event.ctrlKey
      if (!modified || event.shiftKey || event.altKey || event.key.toLowerCase() !== 'k') return
      event.preventDefault()
      // Another dialog may hold what somebody is typing.
      setOpen((before) => !before && document.querySelector('dialog[open]') === null)
    }
    document.addEventListener('keydown', press)
    return () => document.removeEventListener('keydown', press)
  }, [])

  return (
    <>
      <button
        type="button"
        aria-label={`Find, ${shortcut}`}
        aria-haspopup="dialog"
        aria-keyshortcuts={isApple ? 'Meta+K' : 'Control+K'}
        className="-mx-1.5 shrink-0 rounded-chip px-1.5 py-1 text-soft transition-colors duration-150 hover:text-ink"
        onPointerEnter={() => void load()}
        onFocus={() => void load()}
        onClick={() => setOpen(true)}
      >
        <span className="sm:hidden">Find</span>
        <kbd className="hidden font-sans sm:inline">{shortcut}</kbd>
      </button>
      {open && (
        <Suspense>
          <FindDialog onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  )
}
