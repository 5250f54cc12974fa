interface ProgressBarProps {
  label: string
  /** From 0 to 1. */
  fraction: number
  /** How far it is, in words. */
  words: string
  tone?: 'ink' | 'live'
}

const tones = { ink: 'bg-ink', live: 'bg-live' } as const

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
      className="h-1.5 overflow-hidden rounded-full bg-hairline"
    >
      <div
        className={`h-full rounded-full transition-[width] duration-150 ${tones[tone]}`}
        style={{ width: `${percent}%` }}
      />
    </div>
  )
}
