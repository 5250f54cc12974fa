import type { ReactNode } from 'react'

const tones = {
  live: { chip: 'bg-live-wash text-live', dot: 'bg-live' },
  waiting: { chip: 'bg-waiting-wash text-waiting', dot: 'bg-waiting' },
  stopped: { chip: 'bg-stopped-wash text-stopped', dot: 'bg-stopped' },
  idle: { chip: 'bg-wash text-soft', dot: 'border border-soft' },
} as const

/** A dot is never alone: the word beside it says what it means. */
export function Status({ tone, children }: { tone: keyof typeof tones; children: ReactNode }) {
  return (
    <span
      className={`inline-flex w-fit shrink-0 justify-self-end items-center gap-2 rounded-full px-2.5 py-0.5 text-small font-medium whitespace-nowrap ${tones[tone].chip}`}
    >
      <span aria-hidden="true" className={`size-1.5 shrink-0 rounded-full ${tones[tone].dot}`} />
      {children}
    </span>
  )
}
