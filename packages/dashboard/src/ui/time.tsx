import { useEffect, useState } from 'react'
import { exactTime, relativeTime, timeLeft } from './time-words.ts'

// Browsers keep timers in 32 bits, and slow them down in the background.
const longestTimer = 3_600_000

/** A relative time that ticks, with the exact one on hover. */
export function Time({ at, kind = 'past' }: { at: string; kind?: 'past' | 'future' }) {
  const instant = Date.parse(at)
  const now = useNowAsOf(instant)
  // The server's clock may run a little before this one: what happened is never told as still to come.
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

// Browsers keep timers in 32 bits, and slow them down in the background.
const longestCountdownTimer = 3_600_000

/** What is left until then, in words that tick; null once it is over. */
export function useTimeLeft(until: number | null): string | null {
  const [now, setNow] = useState(Date.now)
  // A new end is measured from this very moment, not from the last tick.
  const told = until === null ? null : timeLeft(until, Math.max(now, Date.now()))
  const changesIn = told?.changesIn
  useEffect(() => {
    if (changesIn === undefined) return
    const timer = setTimeout(() => setNow(Date.now()), Math.min(changesIn, longestCountdownTimer))
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
