/**
 * Runs one call after the other. Calls meanwhile lead to one more, after a pause as long as the last run took: a page
 * that is expensive to refresh is refreshed less often, and others without a delay.
 */
export function paced(run: () => Promise<unknown>): () => void {
  let isBusy = false
  let isWanted = false

  async function start(): Promise<void> {
    isBusy = true
    do {
      isWanted = false
      const startedAt = performance.now()
      await run().catch(() => {})
      const took = performance.now() - startedAt
      await new Promise((resolve) => setTimeout(resolve, took))
    } while (isWanted)
    isBusy = false
  }

  return () => {
    isWanted = true
    if (!isBusy) void start()
  }
}
