import { createContext, type ReactNode, useContext, useEffect, useId, useState } from 'react'
import { useBlocker } from 'react-router'
import { Button } from '../ui/button.tsx'
import { Dialog, DialogActions } from '../ui/dialog.tsx'

/** The forms that hold changes which nobody has saved. */
class UnsavedChanges {
  readonly #forms = new Set<string>()

  get any(): boolean {
    return this.#forms.size > 0
  }

  mark(form: string, isChanged: boolean): void {
    if (isChanged) this.#forms.add(form)
    else this.#forms.delete(form)
    // A listener that is always there would keep browsers from remembering the page.
    if (this.any) addEventListener('beforeunload', askFirst)
    else removeEventListener('beforeunload', askFirst)
  }
}

/** Null where forms may be left without a question, such as the one for signing in. */
export const UnsavedContext = createContext<UnsavedChanges | null>(null)

/** Tells whether the form that asks holds changes; one that is gone holds none. */
export function useMarkUnsaved(): (isChanged: boolean) => void {
  const id = useId()
  const unsaved = useContext(UnsavedContext)
  useEffect(() => () => unsaved?.mark(id, false), [id, unsaved])
  return (isChanged) => unsaved?.mark(id, isChanged)
}

function askFirst(event: BeforeUnloadEvent): void {
  event.preventDefault()
}

interface DiscardDialogProps {
  onKeep: () => void
  onDiscard: () => void
}

/** Asks before what somebody typed is lost. */
export function DiscardDialog({ onKeep, onDiscard }: DiscardDialogProps) {
  return (
    <Dialog title="Discard your changes?" onClose={onKeep}>
      <p className="text-soft">What you entered has not been saved.</p>
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

/** Around pages whose forms are not left with changes unless somebody says so. */
export function AskBeforeLeaving({ children }: { children: ReactNode }) {
  const [unsaved] = useState(() => new UnsavedChanges())
  const blocker = useBlocker(
    ({ currentLocation, nextLocation }) => unsaved.any && currentLocation.pathname !== nextLocation.pathname,
  )
  return (
    <UnsavedContext value={unsaved}>
      {children}
      {blocker.state === 'blocked' && (
        <DiscardDialog onKeep={() => blocker.reset()} onDiscard={() => blocker.proceed()} />
      )}
    </UnsavedContext>
  )
}
