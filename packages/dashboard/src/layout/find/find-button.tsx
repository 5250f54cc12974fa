import { useEffect, useState } from 'react'
import { lazyPart } from '../lazy-part.tsx'
import { LazyDialog } from '../part-boundary.tsx'

const { Part: FindDialog, preload } = lazyPart(async () => (await import('./find-dialog.tsx')).FindDialog)

const isApple = /^(Mac|iP)/.test(navigator.platform)
const shortcut = isApple ? '⌘K' : 'Ctrl K'

/** Opens the search by click or shortcut. Its code is loaded when someone is about to use it. */
export function FindButton() {
  const [open, setOpen] = useState(false)

  useEffect(() => {
    function press(event: KeyboardEvent) {
      // The modifier is pressed first, so start loading before the letter.
      if (event.key === 'Meta' || event.key === 'Control') preload()
      const modified = isApple ? event.metaKey : event.ctrlKey
      if (!modified || event.shiftKey || event.altKey || letterOf(event) !== 'k') return
      event.preventDefault()
      // Don't cover another dialog that someone may be typing in.
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
        onPointerEnter={preload}
        onFocus={preload}
        onClick={() => setOpen(true)}
      >
        <span className="sm:hidden">Find</span>
        <kbd className="hidden font-sans sm:inline">{shortcut}</kbd>
      </button>
      {open && (
        <LazyDialog onClose={() => setOpen(false)}>
          <FindDialog onClose={() => setOpen(false)} />
        </LazyDialog>
      )}
    </>
  )
}

/** Greek, Hebrew, Russian and other layouts have no Latin letters: there, the place of the key decides. */
function letterOf({ key, code }: KeyboardEvent): string {
  const isOtherScript = /^\P{Script=Latin}$/u.test(key)
  return (isOtherScript ? code.replace(/^Key/, '') : key).toLowerCase()
}
