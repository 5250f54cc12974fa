import type { ReactNode } from 'react'

const tones = {
  live: { chip: 'bg-live-wash text-live', dot: 'bg-live forced-colors:highlighted' },
  waiting: { chip: 'bg-waiting-wash text-waiting', dot: 'bg-waiting forced-colors:highlighted' },
  stopped: { chip: 'bg-stopped-wash text-stopped', dot: 'bg-stopped forced-colors:highlighted' },
  idle: { chip: 'bg-wash text-soft', dot: 'border border-soft' },
} as const

/** Never colour alone: a word explains the dot. */
export function Status({ tone, children }: { tone: keyof typeof tones; children: ReactNode }) {
  return (
    <span
      className={`inline-flex w-fit shrink-0 justify-self-end items-center gap-2 rounded-full px-2.5 py-0.5 text-small font-medium whitespace-nowrap forced-colors:border ${tones[tone].chip}`}
    >
      <span aria-hidden="true" className={`size-1.5 shrink-0 rounded-full ${tones[tone].dot}`} />
      {children}
    </span>
  )
}

export function Badge({ children }: { children: ReactNode }) {
  return (
    <span className="inline-flex max-w-full shrink-0 rounded-[14px] border border-hairline px-2.5 py-0.5 text-small text-soft wrap-anywhere">
      {children}
    </span>
  )
}

interface ProgressBarProps {
  label: string
  /** From 0 to 1. */
  fraction: number
  /** The progress in words, for screen readers. */
  words: string
  tone?: 'ink' | 'live'
}

const barTones = { ink: 'bg-ink', live: 'bg-live' } as const

export function ProgressBar({ label, fraction, words, tone = 'ink' }: ProgressBarProps) {
  const percent = Math.floor(Math.min(1, Math.max(0, fraction)) * 100)
  return (
    <div
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={percent}
      aria-valuetext={words}
      className="h-1.5 overflow-hidden rounded-full bg-hairline forced-colors:border"
    >
      <div
        className={`h-full rounded-full transition-[width] duration-150 forced-colors:highlighted ${barTones[tone]}`}
        style={{ width: `${percent}%` }}
      />
    </div>
  )
}
