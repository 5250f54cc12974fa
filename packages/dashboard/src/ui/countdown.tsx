import { useEffect, useState } from 'react'
import { exactTime } from './relative-time.ts'
import { timeLeft } from './time-left.ts'

// Browsers keep timers in 32 bits, and slow them down in the background.
const longestTimer = 3_600_000

/** What is left until then, in words that tick; null once it is over. */
export function useTimeLeft(until: number | null): string | null {
  const [now, setNow] = useState(Date.now)
  // A new end is measured from this very moment, not from the last tick.
  const told = until === null ? null : timeLeft(until, Math.max(now, Date.now()))
  const changesIn = told?.changesIn
  useEffect(() => {
    if (changesIn === undefined) return
    const timer = setTimeout(() => setNow(Date.now()), Math.min(changesIn, longestTimer))
    return () => clearTimeout(timer)
  })
  return told?.words ?? null
}

interface CountdownProps {
  to: string
  /** Stands before what is left, with the space between. */
  before?: string
  /** Stands there once the time has come. */
  over: string
}

/** What is left until then, ticking, with the exact time on hover. */
export function Countdown({ to, before = '', over }: CountdownProps) {
  const until = Date.parse(to)
  const left = useTimeLeft(until)
  return (
    <time dateTime={to} title={exactTime(until)}>
      {left === null ? over : `${before}${left}`}
    </time>
  )
}
