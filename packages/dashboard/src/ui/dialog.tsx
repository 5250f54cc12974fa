import { type ReactNode, useId, useLayoutEffect, useRef } from 'react'

interface DialogProps {
  title: string
  onClose: () => void
  /** Near the top and as its content is, so that what grows below a field does not move it. Its title is heard only. */
  bare?: boolean
  children: ReactNode
}

/**
 * The browser's own modal dialog: it holds the focus, closes with Escape and gives the focus back. It is open as long
 * as it is rendered.
 */
export function Dialog({ title, onClose, bare = false, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()
  // Before it leaves the document: a dialog that is closed outside of it gives no focus back.
  useLayoutEffect(() => {
    const element = dialog.current
    if (element !== null && !element.open) {
      element.showModal()
      // Where it opens with nothing to focus, keys would still go to the page behind it.
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

/** The buttons at the foot of a dialog: what it is for at the right, the way out before it. */
export function DialogActions({ children }: { children: ReactNode }) {
  return <div className="mt-6 flex flex-wrap justify-end gap-2">{children}</div>
}
