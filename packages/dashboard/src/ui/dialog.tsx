import { type ReactNode, useId, useLayoutEffect, useRef } from 'react'

interface DialogProps {
  title: string
  onClose: () => void
  children: ReactNode
}

/**
 * The browser's own modal dialog: it holds the focus, closes with Escape and gives the focus back. It is open as long
 * as it is rendered.
 */
export function Dialog({ title, onClose, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()
  // Before it leaves the document: a dialog that is closed outside of it gives no focus back.
  useLayoutEffect(() => {
    const element = dialog.current
    if (element !== null && !element.open) element.showModal()
    return () => element?.close()
  }, [])
  return (
    <dialog
      ref={dialog}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault()
        onClose()
      }}
      onPointerDown={(event) => {
        if (event.target === dialog.current) onClose()
      }}
      className="fade-in m-auto w-[min(520px,calc(100vw-32px))] rounded-sheet border border-hairline bg-sheet p-0 text-ink shadow-float backdrop:bg-black/35"
    >
      <div className="p-6">
        <h2 id={id} className="text-section">
          {title}
        </h2>
        <div className="mt-3">{children}</div>
      </div>
    </dialog>
  )
}

/** The buttons at the foot of a dialog: what it is for at the right, the way out before it. */
export function DialogActions({ children }: { children: ReactNode }) {
  return <div className="mt-6 flex flex-wrap justify-end gap-2">{children}</div>
}
