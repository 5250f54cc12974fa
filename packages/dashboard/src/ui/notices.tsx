import {
  createContext,
  type ReactNode,
  useCallback,
  useContext,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
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

interface Undo {
  /** What was changed. Its next change makes this one history. */
  of: string
  run: () => void
}

interface Toast {
  words: string
  undo?: Undo
  /** What was changed, if that cannot be undone. */
  of?: string
  /** Something else to do about it. */
  action?: { label: string; run: () => void }
}

type Say = (toast: Toast) => void

const SayContext = createContext<Say>(() => {})

/** Shows a message at the bottom of the page, optionally with Undo or another button. */
export function useToast(): Say {
  return useContext(SayContext)
}

/** Long enough to read and to decide. */
const shownFor = (words: string) => Math.max(8_000, words.length * 60)

const tickMs = 500

/** More would cover the page. */
const maxShown = 3

interface ShownToast extends Toast {
  id: number
}

/** Messages without Undo give way to the next one, others only to one about the same thing. */
function withToast(shown: readonly ShownToast[], next: ShownToast): ShownToast[] {
  const changed = next.undo?.of ?? next.of
  const kept = shown.filter(({ undo }) => undo !== undefined && undo.of !== changed)
  return [...kept, next].slice(-maxShown)
}

let nextId = 0

export function Toasts({ children }: { children: ReactNode }) {
  const [toasts, setToasts] = useState<readonly ShownToast[]>([])
  const [held, setHeld] = useState(false)
  const say = useCallback<Say>((toast) => {
    nextId += 1
    const next = { ...toast, id: nextId }
    setToasts((shown) => withToast(shown, next))
  }, [])
  const remove = useCallback((id: number) => setToasts((shown) => shown.filter((each) => each.id !== id)), [])
  /** React does not report that the focus ended with what had it. */
  const release = useCallback(() => {
    setHeld(false)
    focusPageIfLost()
  }, [])

  return (
    <SayContext value={say}>
      {children}
      <div
        role="status"
        // Only what is new is read aloud.
        aria-atomic={false}
        className="pointer-events-none fixed inset-x-0 bottom-5 z-20 flex flex-col items-center gap-2 px-4"
        onPointerEnter={() => setHeld(true)}
        onPointerLeave={() => setHeld(false)}
        onFocus={() => setHeld(true)}
        onBlur={() => setHeld(false)}
      >
        {toasts.map((toast) => (
          <ToastBar
            key={toast.id}
            toast={toast}
            held={held}
            onExpire={remove}
            onClose={() => {
              remove(toast.id)
              release()
            }}
            onFocusLost={release}
          />
        ))}
      </div>
    </SayContext>
  )
}

interface ToastBarProps {
  toast: ShownToast
  held: boolean
  onExpire: (id: number) => void
  /** Its buttons disappear with it. */
  onClose: () => void
  /** So they do if another message takes its place. */
  onFocusLost: () => void
}

function ToastBar({ toast: { id, words, undo, action }, held, ...on }: ToastBarProps) {
  const bar = useRef<HTMLDivElement>(null)
  const { onExpire, onClose, onFocusLost } = on
  const button = undo === undefined ? action : { label: 'Undo', run: undo.run }

  useEffect(() => {
    if (held) return
    let leftMs = shownFor(words)
    const timer = setInterval(() => {
      // Nobody can reach its buttons behind a dialog.
      if (document.querySelector('dialog[open]') !== null) return
      leftMs -= tickMs
      if (leftMs <= 0) onExpire(id)
    }, tickMs)
    return () => clearInterval(timer)
  }, [id, words, held, onExpire])

  // A layout effect, because it ends while the focus is still there.
  useLayoutEffect(() => {
    const element = bar.current
    return () => {
      if (element?.contains(document.activeElement)) onFocusLost()
    }
  }, [onFocusLost])

  return (
    <div
      ref={bar}
      className="fade-in pointer-events-auto flex max-w-[min(640px,100%)] items-center gap-4 rounded-sheet bg-ink py-2.5 forced-colors:border pr-2.5 pl-4 text-paper shadow-float"
    >
      <span className="min-w-0">{words}</span>
      {button !== undefined && (
        <button
          type="button"
          className="rounded-chip px-2.5 py-1 font-medium underline underline-offset-3 focus-visible:outline-paper"
          onClick={() => {
            onClose()
            button.run()
          }}
        >
          {button.label}
        </button>
      )}
      <button
        type="button"
        aria-label="Dismiss"
        className="rounded-chip px-2.5 py-1 focus-visible:outline-paper"
        onClick={onClose}
      >
        ×
      </button>
    </div>
  )
}
