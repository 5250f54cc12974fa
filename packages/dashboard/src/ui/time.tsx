import { useEffect, useState } from 'react'
import { exactTime, relativeTime, timeLeft } from './time-words.ts'

// Browser timers overflow at 32 bits.
const longestTimer = 3_600_000

/** A relative time that ticks, with the exact one on hover. */
export function Time({ at, kind = 'past' }: { at: string; kind?: 'past' | 'future' }) {
  const instant = Date.parse(at)
  const now = useNowAsOf(instant)
  // The server's clock may be slightly ahead: never show a past event as in the future.
  const { words } = relativeTime(kind === 'past' ? Math.min(instant, now) : instant, now)
  return (
    <time dateTime={at} title={exactTime(instant)}>
      {words}
    </time>
  )
}

function useNowAsOf(instant: number): number {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const { changesIn } = relativeTime(instant, now)
    if (changesIn === null) return
    const timer = setTimeout(() => setNow(Date.now()), Math.min(changesIn, longestTimer))
    return () => clearTimeout(timer)
  }, [instant, now])
  return now
}

/** The time left, updated as it passes; null once it is over. */
export function useTimeLeft(until: number | null): string | null {
  const [now, setNow] = useState(Date.now)
  // A new end is measured from now, not from the last tick.
  const left = until === null ? null : timeLeft(until, Math.max(now, Date.now()))
  const changesIn = left?.changesIn
  useEffect(() => {
    if (changesIn === undefined) return
    const timer = setTimeout(() => setNow(Date.now()), Math.min(changesIn, longestTimer))
    return () => clearTimeout(timer)
  })
  return left?.words ?? null
}

interface CountdownProps {
  to: string
  /** Shown before the time left, including a space. */
  before?: string
  /** Shown once the time is over. */
  over: string
}

/** The time left, ticking, with the exact time on hover. */
export function Countdown({ to, before = '', over }: CountdownProps) {
  const until = Date.parse(to)
  const left = useTimeLeft(until)
  return (
    <time dateTime={to} title={exactTime(until)}>
      {left === null ? over : `${before}${left}`}
    </time>
  )
}
