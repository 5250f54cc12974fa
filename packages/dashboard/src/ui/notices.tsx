import { createContext, type ReactNode, useCallback, useContext, useEffect, useState } from 'react'
import { focusPageIfLost } from './focus.tsx'

const tones = {
  live: 'border-live bg-live-wash',
  waiting: 'border-waiting bg-waiting-wash',
  stopped: 'border-stopped bg-stopped-wash',
} as const

interface NoticeProps {
  tone: keyof typeof tones
  /** What happened. */
  title: ReactNode
  /** What to do. */
  children?: ReactNode
}

export function Notice({ tone, title, children }: NoticeProps) {
  return (
    <div
      role={tone === 'stopped' ? 'alert' : 'status'}
      className={`fade-in rounded-r-sheet border-l-3 px-4 py-3 ${tones[tone]}`}
    >
      <strong className="font-semibold">{title}</strong> {children}
    </div>
  )
}

interface Toast {
  words: string
  action?: { label: string; run: () => void }
}

type Say = (toast: Toast) => void

const SayContext = createContext<Say>(() => {})

/** Shows a message at the bottom of the page, optionally with Undo. */
export function useToast(): Say {
  return useContext(SayContext)
}

/** Long enough to read and to decide. */
const shownFor = (words: string) => Math.max(8_000, words.length * 60)

const tickMs = 500

export function Toasts({ children }: { children: ReactNode }) {
  const [toast, setToast] = useState<Toast | null>(null)
  const [held, setHeld] = useState(false)
  const say = useCallback<Say>((next) => setToast({ ...next }), [])

  useEffect(() => {
    if (toast === null || held) return
    let leftMs = shownFor(toast.words)
    const timer = setInterval(() => {
      // Nobody can reach its buttons behind a dialog.
      if (document.querySelector('dialog[open]') !== null) return
      leftMs -= tickMs
      if (leftMs <= 0) setToast(null)
    }, tickMs)
    return () => clearInterval(timer)
  }, [toast, held])

  /** Its buttons disappear with it. */
  function close() {
    setToast(null)
    setHeld(false)
    focusPageIfLost()
  }

  return (
    <SayContext value={say}>
      {children}
      <div
        role="status"
        className="pointer-events-none fixed inset-x-0 bottom-5 z-20 flex justify-center px-4"
        onPointerEnter={() => setHeld(true)}
        onPointerLeave={() => setHeld(false)}
        onFocus={() => setHeld(true)}
        onBlur={() => setHeld(false)}
      >
        {toast !== null && (
          <div className="fade-in pointer-events-auto flex max-w-[min(640px,100%)] items-center gap-4 rounded-sheet bg-ink py-2.5 forced-colors:border pr-2.5 pl-4 text-paper shadow-float">
            <span className="min-w-0">{toast.words}</span>
            {toast.action !== undefined && (
              <button
                type="button"
                className="rounded-chip px-2.5 py-1 font-medium underline underline-offset-3 focus-visible:outline-paper"
                onClick={() => {
                  close()
                  toast.action?.run()
                }}
              >
                {toast.action.label}
              </button>
            )}
            <button
              type="button"
              aria-label="Dismiss"
              className="rounded-chip px-2.5 py-1 focus-visible:outline-paper"
              onClick={close}
            >
              ×
            </button>
          </div>
        )}
      </div>
    </SayContext>
  )
}
