import type { ComponentProps, ReactNode } from 'react'

const base =
  'inline-flex h-10 items-center justify-center rounded-sheet px-4 font-medium whitespace-nowrap transition-colors duration-150 aria-disabled:opacity-60'

const looks = {
  primary: 'bg-ink text-paper not-aria-disabled:hover:bg-ink/85',
  plain: 'border border-hairline bg-sheet not-aria-disabled:hover:border-edge',
  quiet: 'text-soft not-aria-disabled:hover:text-ink',
} as const

type Look = keyof typeof looks

interface ButtonProps extends Omit<ComponentProps<'button'>, 'children' | 'disabled'> {
  look?: Look
  /** What the button is doing, while it does it. */
  pending?: string | false
  children: ReactNode
}

/** While pending it keeps the focus, which a disabled button would lose, and does nothing. */
export function Button({ look = 'plain', pending = false, className = '', children, ...rest }: ButtonProps) {
  const busy = pending !== false
  return (
    <button
      type="button"
      {...rest}
      className={`${base} ${looks[look]} ${className}`}
      aria-disabled={busy || undefined}
      onClick={busy ? (event) => event.preventDefault() : rest.onClick}
    >
      {busy ? pending : children}
    </button>
  )
}

export function buttonClass(look: Look = 'plain'): string {
  return `${base} ${looks[look]}`
}

interface FileButtonProps {
  /** A whole folder instead of one file. */
  folder?: boolean
  accept?: string
  onChoose: (files: File[]) => void
  children: ReactNode
}

/** A button that opens the system's dialog for files. The input itself has the focus, and the label its looks. */
export function FileButton({ folder = false, accept, onChoose, children }: FileButtonProps) {
  return (
    <label
      className={`${buttonClass()} cursor-pointer hover:border-edge has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-ink`}
    >
      <input
        type="file"
        className="sr-only"
        accept={accept}
        {...(folder ? { webkitdirectory: '' } : {})}
        onChange={({ currentTarget }) => {
          const files = Array.from(currentTarget.files ?? [])
          // The same choice again is a choice again.
          currentTarget.value = ''
          if (files.length > 0) onChoose(files)
        }}
      />
      {children}
    </label>
  )
}

interface RowActionProps {
  /** Says which row it is about. */
  label: string
  onClick: () => void
  /** It ends nothing. */
  harmless?: boolean
  children: ReactNode
}

/** What can be done about a row and is asked about before it is done: quiet, and large enough for a finger. */
export function RowAction({ label, onClick, harmless = false, children }: RowActionProps) {
  return (
    <button
      type="button"
      aria-label={label}
      onClick={onClick}
      className={`link -my-1.5 py-1.5 whitespace-nowrap text-soft sm:no-underline ${harmless ? 'hover:text-ink' : 'hover:text-stopped'}`}
    >
      {children}
    </button>
  )
}
