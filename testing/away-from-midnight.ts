import { setTimeout as sleep } from 'node:timers/promises'

const day = 24 * 60 * 60 * 1000

/** The server counts requests by UTC days. Waits until this one has as much left as a test needs. */
export async function awayFromMidnight(neededMs = 60_000): Promise<void> {
  const left = day - (Date.now() % day)
  if (left < neededMs) await sleep(left)
}
