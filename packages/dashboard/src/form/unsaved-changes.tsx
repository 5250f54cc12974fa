import { createContext, type ReactNode, useContext, useEffect, useId, useRef, useState } from 'react'
import { useBlocker } from 'react-router'
import { Button } from '../ui/button.tsx'
import { Dialog, DialogActions } from '../ui/dialog.tsx'

/** The forms with unsaved changes. */
class UnsavedChanges {
  readonly #forms = new Set<string>()

  get any(): boolean {
    return this.#forms.size > 0
  }

  mark(form: string, isChanged: boolean): void {
    if (isChanged) this.#forms.add(form)
    else this.#forms.delete(form)
    // A permanent listener would keep the page out of the back/forward cache.
    if (this.any) addEventListener('beforeunload', preventUnload)
    else removeEventListener('beforeunload', preventUnload)
  }
}

/** Null where forms may be left without asking, such as the sign-in form. */
export const UnsavedContext = createContext<UnsavedChanges | null>(null)

/** Marks the calling form as changed or unchanged. Unmounting clears the mark. */
export function useMarkUnsaved(): (isChanged: boolean) => void {
  const id = useId()
  const unsaved = useContext(UnsavedContext)
  useEffect(() => () => unsaved?.mark(id, false), [id, unsaved])
  return (isChanged) => unsaved?.mark(id, isChanged)
}

function preventUnload(event: BeforeUnloadEvent): void {
  event.preventDefault()
}

interface DiscardDialogProps {
  onKeep: () => void
  onDiscard: () => void
}

export function DiscardDialog({ onKeep, onDiscard }: DiscardDialogProps) {
  return (
    <Dialog title="Discard your changes?" onClose={onKeep}>
      <p className="text-soft">Your changes have not been saved.</p>
      <DialogActions>
        <Button look="quiet" onClick={onDiscard}>
          Discard
        </Button>
        <Button look="primary" onClick={onKeep}>
          Keep editing
        </Button>
      </DialogActions>
    </Dialog>
  )
}

/** Asks before navigating away from a form with unsaved changes. */
export function AskBeforeLeaving({ children }: { children: ReactNode }) {
  const [unsaved] = useState(() => new UnsavedChanges())
  const blocker = useBlocker(
    ({ currentLocation, nextLocation }) => unsaved.any && currentLocation.pathname !== nextLocation.pathname,
  )
  const answered = useRef<typeof blocker>(null)

  /** Once: the router shows the dialog a moment longer, and throws at the second click of a double click. */
  function answer(choice: 'reset' | 'proceed') {
    if (blocker.state !== 'blocked' || answered.current === blocker) return
    answered.current = blocker
    blocker[choice]()
  }

  return (
    <UnsavedContext value={unsaved}>
      {children}
      {blocker.state === 'blocked' && (
        <DiscardDialog onKeep={() => answer('reset')} onDiscard={() => answer('proceed')} />
      )}
    </UnsavedContext>
  )
}
