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
