import { type GroupOptions, runTestGroup } from './test-group/run-test-group.ts'
import { addTotals, noTotals, type TestTotals } from './test-group/totals.ts'
import type { QueuedGroup } from './test-queue.ts'

export interface RunOptions extends GroupOptions {
  cores: number
}

/**
 * Runs each group of files in a process of its own, as many at once as their loads allow. A group with more load than the
 * machine has runs alone.
 */
export async function runTestFiles(
  queue: readonly QueuedGroup[],
  { cores, ...options }: RunOptions,
): Promise<TestTotals> {
  const start = performance.now()
  const totals = noTotals()
  const waiting = queue.map(({ files, load }) => ({ files, load: Math.min(load, cores * 100) }))
  const running = new Set<Promise<void>>()
  let free = cores * 100
  while (waiting.length > 0 || running.size > 0) {
    const next = options.signal.aborted ? -1 : waiting.findIndex(({ load }) => load <= free)
    if (next === -1) {
      if (running.size === 0) break
      await Promise.race(running)
      continue
    }
    for (const { files, load } of waiting.splice(next, 1)) {
      free -= load
      const run = runTestGroup(files, options).then((group) => {
        addTotals(totals, group)
        free += load
        running.delete(run)
      })
      running.add(run)
    }
  }
  totals.milliseconds = performance.now() - start
  return totals
}
