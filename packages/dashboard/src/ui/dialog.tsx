import { createContext, type ReactNode, useContext, useId, useLayoutEffect, useRef, useState } from 'react'
import { Button } from './button.tsx'
import { isComposing } from './field.tsx'

interface DialogProps {
  title: string
  onClose: () => void
  /** Near the top, without padding and visible title, so that a growing list does not move the field above it. */
  bare?: boolean
  children: ReactNode
}

/** Whether the dialog around is held open, and how to hold it. */
const HoldContext = createContext<{ held: boolean; hold: (held: boolean) => void }>({
  held: false,
  hold: () => {},
})

/** Some answers never arrive. */
const maxHeldMs = 15_000

/** Keeps the dialog open while a request is sent: closing would not stop it, and its answer may be a secret shown once. */
export function HoldDialog({ while: busy }: { while: boolean }) {
  const { hold } = useContext(HoldContext)
  // A layout effect: by the time a person sees that a request is sent, Escape must not close the dialog.
  useLayoutEffect(() => {
    if (!busy) return
    hold(true)
    const timer = setTimeout(() => hold(false), maxHeldMs)
    return () => {
      clearTimeout(timer)
      hold(false)
    }
  }, [busy, hold])
  return null
}

/** The browser's modal dialog, which traps the focus, closes with Escape and restores the focus. Open while rendered. */
export function Dialog({ title, onClose, bare = false, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()
  const [held, hold] = useState(false)

  function close() {
    if (!held) onClose()
  }

  // A layout effect, because a dialog closed after its removal does not restore the focus.
  useLayoutEffect(() => {
    const element = dialog.current
    if (element !== null && !element.open) {
      element.showModal()
      // Without a focusable element, keys would still go to the page behind.
      if (!element.contains(document.activeElement)) element.focus()
    }
    return () => element?.close()
  }, [])
  return (
    <dialog
      ref={dialog}
      tabIndex={-1}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault()
        close()
      }}
      // The browser closes a dialog at the second Escape in a row, even if the first was prevented.
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || isComposing(event) || event.isDefaultPrevented()) return
        event.preventDefault()
        close()
      }}
      onPointerDown={(event) => {
        if (event.target === dialog.current) close()
      }}
      className={`fade-in w-[min(520px,calc(100vw-32px))] ${bare ? 'mx-auto mt-4 mb-auto max-h-[calc(100dvh-32px)] sm:mt-[14vh] sm:max-h-[72vh]' : 'm-auto'} rounded-sheet border border-hairline bg-sheet p-0 text-ink shadow-float backdrop:bg-[rgb(0_0_0/0.35)]`}
    >
      <div className={bare ? '' : 'p-6'}>
        <h2 id={id} className={bare ? 'sr-only' : 'text-section'}>
          {title}
        </h2>
        <div className={bare ? '' : 'mt-3'}>
          <HoldContext value={{ held, hold }}>{children}</HoldContext>
        </div>
      </div>
    </dialog>
  )
}

export function CancelButton({ onClick }: { onClick: () => void }) {
  const { held } = useContext(HoldContext)
  return (
    <Button look="quiet" pending={held && 'Cancel'} onClick={onClick}>
      Cancel
    </Button>
  )
}

export function DialogActions({ children }: { children: ReactNode }) {
  return <div className="mt-6 flex flex-wrap justify-end gap-2">{children}</div>
}
