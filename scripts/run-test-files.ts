import { setTimeout as sleep } from 'node:timers/promises'
import { FairQueue } from './fair-queue.ts'
import { SpareCores } from './spare-cores.ts'
import { type GroupOptions, runTestGroup } from './test-group/run-test-group.ts'
import { addTotals, noTotals, type TestTotals } from './test-group/totals.ts'
import type { QueuedGroup } from './test-queue.ts'

export interface RunOptions extends GroupOptions {
  cores: number
  /** What runs already, until this ends. */
  beside?: { load: number; ended: Promise<unknown> }
}

const adjustEveryMs = 2_000

/**
 * Runs each group of files in a process of its own, as many at once as their loads allow, and more while the cores have
 * time left, unless one of them needs quiet.
 */
export async function runTestFiles(
  queue: readonly QueuedGroup[],
  { cores, beside, ...options }: RunOptions,
): Promise<TestTotals> {
  const start = performance.now()
  const totals = noTotals()
  const whole = cores * 100
  const waiting = queue.map((group) => ({ ...group, load: Math.min(group.load, whole) }))
  const running = new Map<Promise<void>, Omit<QueuedGroup, 'files'>>()
  if (beside !== undefined) {
    const run = beside.ended.then(() => void running.delete(run))
    running.set(run, { load: beside.load, needsQuiet: false })
  }
  const spare = new SpareCores(cores)
  const fair = new FairQueue()
  const mayStart = (group: QueuedGroup) => {
    if (running.size === 0) return true
    const all = [...running.values(), group]
    const load = all.reduce((sum, one) => sum + one.load, 0)
    return load <= whole + (all.some(({ needsQuiet }) => needsQuiet) ? 0 : spare.extra)
  }
  /** Groups that need quiet run one after the other. Those that wait for another one do not hold up the rest. */
  const findCandidates = () => {
    const isQuiet = [...running.values()].some(({ needsQuiet }) => needsQuiet)
    return waiting.filter((group) => !isQuiet || !group.needsQuiet || mayStart(group))
  }
  while (waiting.length > 0 || running.size > 0) {
    const candidates = options.signal.aborted ? [] : findCandidates()
    const group = candidates[fair.next(candidates, mayStart)]
    if (group === undefined) {
      if (running.size === 0) break
      await oneEnds(running.keys())
      continue
    }
    waiting.splice(waiting.indexOf(group), 1)
    const run = runTestGroup(group.files, options).then((added) => {
      addTotals(totals, added)
      running.delete(run)
    })
    running.set(run, group)
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
