import { setTimeout as sleep } from 'node:timers/promises'
import { SpareCores } from './spare-cores.ts'
import { type GroupOptions, runTestGroup } from './test-group/run-test-group.ts'
import { addTotals, noTotals, type TestTotals } from './test-group/totals.ts'
import type { QueuedGroup } from './test-queue.ts'

export interface RunOptions extends GroupOptions {
  cores: number
}

const adjustEveryMs = 2_000

/**
 * Runs each group of files in a process of its own, as many at once as their loads allow, and more while the cores have
 * time left. A group with more load than the machine has runs alone.
 */
export async function runTestFiles(
  queue: readonly QueuedGroup[],
  { cores, ...options }: RunOptions,
): Promise<TestTotals> {
  const start = performance.now()
  const totals = noTotals()
  const whole = cores * 100
  const waiting = queue.map(({ files, load }) => ({ files, load: Math.min(load, whole) }))
  const running = new Map<Promise<void>, number>()
  const spare = new SpareCores(cores)
  const mayStart = (load: number) => {
    const loads = [...running.values()]
    if (loads.length === 0) return true
    if (load === whole || loads.includes(whole)) return false
    return loads.reduce((sum, one) => sum + one, load) <= whole + spare.extra
  }
  while (waiting.length > 0 || running.size > 0) {
    const next = options.signal.aborted ? -1 : waiting.findIndex(({ load }) => mayStart(load))
    if (next === -1) {
      if (running.size === 0) break
      await oneEnds(running.keys())
      continue
    }
    for (const { files, load } of waiting.splice(next, 1)) {
      const run = runTestGroup(files, options).then((group) => {
        addTotals(totals, group)
        running.delete(run)
      })
      running.set(run, load)
    }
  }
  totals.milliseconds = performance.now() - start
  return totals

  /** Or there may be more room than before. */
  async function oneEnds(runs: Iterable<Promise<void>>): Promise<void> {
    const adjusting = new AbortController()
    const adjusted = sleep(adjustEveryMs, undefined, { signal: adjusting.signal }).then(
      () => spare.update(),
      () => {},
    )
    await Promise.race([...runs, adjusted])
    adjusting.abort()
  }
}
