import { setTimeout as sleep } from 'node:timers/promises'

interface Patience {
  everyMs?: number
  atMostMs?: number
}

/** Asks again and again, and ends once the condition holds. */
export async function until(
  condition: () => boolean | Promise<boolean>,
  { everyMs = 10, atMostMs = 60_000 }: Patience = {},
): Promise<void> {
  const end = performance.now() + atMostMs
  while (!(await condition())) {
    if (performance.now() > end) throw new Error(`Not true within ${atMostMs / 1000} s: ${condition}`)
    await sleep(everyMs)
  }
}
