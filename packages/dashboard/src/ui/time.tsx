import { useEffect, useState } from 'react'
import { exactTime, relativeTime } from './relative-time.ts'

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
