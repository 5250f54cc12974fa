import type { ComponentProps, ReactNode } from 'react'

const base =
  'inline-flex h-10 items-center justify-center rounded-sheet px-4 font-medium whitespace-nowrap transition-colors duration-150 aria-disabled:opacity-60'

const looks = {
  primary: 'bg-ink text-paper forced-colors:border not-aria-disabled:hover:bg-ink/85',
  plain: 'border border-hairline bg-sheet not-aria-disabled:hover:border-edge',
  quiet: 'text-soft not-aria-disabled:hover:text-ink',
} as const

type Look = keyof typeof looks

interface ButtonProps extends Omit<ComponentProps<'button'>, 'children' | 'disabled'> {
  look?: Look
  /** The label while busy, or false. */
  pending?: string | false
  children: ReactNode
}

/** While pending it ignores clicks but keeps the focus, which a disabled button would lose. */
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
  folder?: boolean
  accept?: string
  onChoose: (files: File[]) => void
  children: ReactNode
}

/** Opens the file dialog. The hidden input has the focus; the label looks like a button. */
export function FileButton({ folder = false, accept, onChoose, children }: FileButtonProps) {
  return (
    <label
      className={`${buttonClass()} cursor-pointer hover:border-edge has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-ink`}
    >
      <input
        type="file"
        className="sr-only"
        accept={accept}
        // `multiple` is for browsers that choose files instead of folders.
        {...(folder ? { webkitdirectory: '', multiple: true } : {})}
        onChange={({ currentTarget }) => {
          const files = Array.from(currentTarget.files ?? [])
          // Lets the same file be chosen again.
          currentTarget.value = ''
          if (files.length > 0) onChoose(files)
        }}
      />
      {children}
    </label>
  )
}

interface RowActionProps {
  /** Names the row for screen readers. */
  label: string
  onClick: () => void
  /** Not destructive. */
  harmless?: boolean
  children: ReactNode
}

/** A quiet action in a table row, large enough for touch. */
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
