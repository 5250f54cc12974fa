import { type ReactNode, useId, useLayoutEffect, useRef } from 'react'

interface DialogProps {
  title: string
  onClose: () => void
  /** Near the top, without padding and visible title, so that a growing list does not move the field above it. */
  bare?: boolean
  children: ReactNode
}

/** The browser's modal dialog, which traps the focus, closes with Escape and restores the focus. Open while rendered. */
export function Dialog({ title, onClose, bare = false, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()
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
        onClose()
      }}
      onPointerDown={(event) => {
        if (event.target === dialog.current) onClose()
      }}
      className={`fade-in w-[min(520px,calc(100vw-32px))] ${bare ? 'mx-auto mt-4 mb-auto max-h-[calc(100dvh-32px)] sm:mt-[14vh] sm:max-h-[72vh]' : 'm-auto'} rounded-sheet border border-hairline bg-sheet p-0 text-ink shadow-float backdrop:bg-[rgb(0_0_0/0.35)]`}
    >
      <div className={bare ? '' : 'p-6'}>
        <h2 id={id} className={bare ? 'sr-only' : 'text-section'}>
          {title}
        </h2>
        <div className={bare ? '' : 'mt-3'}>{children}</div>
      </div>
    </dialog>
  )
}

export function DialogActions({ children }: { children: ReactNode }) {
  return <div className="mt-6 flex flex-wrap justify-end gap-2">{children}</div>
}
