import { setTimeout as sleep } from 'node:timers/promises'

interface Patience {
  /** Otherwise less and less often: soon while it may only take a moment, and without keeping the machine busy. */
  everyMs?: number
  atMostMs?: number
}

/** Asks again and again, and ends once the condition holds. */
export async function until(
  condition: () => boolean | Promise<boolean>,
  { everyMs, atMostMs = 60_000 }: Patience = {},
): Promise<void> {
  const start = performance.now()
  while (!(await condition())) {
    const waited = performance.now() - start
    if (waited > atMostMs) throw new Error(`Not true within ${atMostMs / 1000} s: ${condition}`)
    await sleep(everyMs ?? Math.min(Math.max(waited / 10, 10), 50))
  }
}
