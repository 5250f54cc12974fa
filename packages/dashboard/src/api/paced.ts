const second = 1_000
/** The pause grows by a second each time, up to this. */
const longestPause = 15 * second
/** After so long without a call, there is no pause again. */
const quietTime = 60 * second

interface Timing {
  now: () => number
  wait: (milliseconds: number) => Promise<unknown>
}

const realTime: Timing = {
  now: () => performance.now(),
  wait: (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)),
}

/**
 * Runs one call after the other. Calls meanwhile lead to one more, after a pause. It is at least as long as the last
 * run took, and grows while calls keep coming: a single change shows at once, and changes without an end do not use up
 * the limits of the person who watches.
 */
export function paced(run: () => Promise<unknown>, { now, wait }: Timing = realTime): () => void {
  let isBusy = false
  let isWanted = false
  let pause = 0
  let calledAt = 0

  async function start(): Promise<void> {
    isBusy = true
    for (;;) {
      isWanted = false
      const startedAt = now()
      await run().catch(() => {})
      await wait(Math.max(pause, now() - startedAt))
      if (!isWanted) break
      pause = Math.min(pause + second, longestPause)
    }
    isBusy = false
  }

  return () => {
    if (now() - calledAt >= quietTime) pause = 0
    calledAt = now()
    isWanted = true
    if (!isBusy) void start()
  }
}
