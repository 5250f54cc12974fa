import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { run } from 'node:test'
import { spec, type TestEvent } from 'node:test/reporters'
import { repositoryRoot } from './repository.ts'
import type { QueuedFile } from './test-queue.ts'

export interface TestTotals {
  success: boolean
  counts: Record<'tests' | 'suites' | 'passed' | 'failed' | 'cancelled' | 'skipped' | 'todo', number>
  milliseconds: number
}

const counted = ['tests', 'suites', 'passed', 'failed', 'cancelled', 'skipped', 'todo'] as const

/** A file that hangs fails alone, instead of keeping the others from their summary. */
const longestFileMs = 10 * 60_000

/**
 * Runs each file in a process of its own, as many at once as their loads allow: a line per file, what failed in full,
 * what was skipped by name. A file with more load than the machine has runs alone.
 */
export async function runTestFiles(
  queue: readonly QueuedFile[],
  { cores, signal }: { cores: number; signal: AbortSignal },
): Promise<TestTotals> {
  const start = performance.now()
  const totals: TestTotals = {
    success: true,
    counts: { tests: 0, suites: 0, passed: 0, failed: 0, cancelled: 0, skipped: 0, todo: 0 },
    milliseconds: 0,
  }
  const waiting = queue.map(({ path, load }) => ({ path, load: Math.min(load, cores * 100) }))
  const running = new Set<Promise<void>>()
  let free = cores * 100
  while (waiting.length > 0 || running.size > 0) {
    const next = signal.aborted ? -1 : waiting.findIndex(({ load }) => load <= free)
    if (next === -1) {
      if (running.size === 0) break
      await Promise.race(running)
      continue
    }
    for (const { path, load } of waiting.splice(next, 1)) {
      free -= load
      const run = runTestFile(path, signal).then(({ success, counts }) => {
        totals.success &&= success
        for (const count of counted) totals.counts[count] += counts[count]
        free += load
        running.delete(run)
      })
      running.add(run)
    }
  }
  totals.milliseconds = performance.now() - start
  return totals
}

async function runTestFile(file: string, signal: AbortSignal): Promise<TestTotals> {
  // A file that ends without a summary has failed.
  let totals: TestTotals = {
    success: false,
    counts: { tests: 0, suites: 0, passed: 0, failed: 0, cancelled: 0, skipped: 0, todo: 0 },
    milliseconds: 0,
  }
  const printed: TestEvent[] = []
  const failed: TestEvent[] = []
  const files = [join(repositoryRoot, file)]
  for await (const event of run({ files, cwd: repositoryRoot, signal, timeout: longestFileMs })) {
    if (event.type === 'test:stdout' || event.type === 'test:stderr') printed.push(event)
    else if (event.type === 'test:fail') failed.push(event)
    else if (event.type === 'test:pass' && event.data.skip !== undefined) {
      console.log(`- ${event.data.name} (skipped: ${event.data.skip})`)
    } else if (event.type === 'test:summary' && event.data.file === undefined) {
      const { success, counts, duration_ms: milliseconds } = event.data
      totals = { success, counts, milliseconds }
    }
  }
  printFile(file, totals)
  if (!totals.success) await printEvents([...printed, ...failed])
  return totals
}

/** As node's own reporter prints them. */
async function printEvents(events: readonly TestEvent[]): Promise<void> {
  const reporter = new spec()
  for (const event of events) reporter.write(event)
  reporter.end()
  console.log((await text(reporter)).trimEnd())
}

function printFile(file: string, { success, counts, milliseconds }: TestTotals): void {
  console.log(`${success ? '✓' : '✗'} ${file} (${counts.tests}, ${(milliseconds / 1000).toFixed(1)} s)`)
}

/** The closing lines of node's own reporter. */
export function printSummary({ counts, milliseconds }: TestTotals): void {
  console.log(`ℹ tests ${counts.tests}`)
  console.log(`ℹ suites ${counts.suites}`)
  console.log(`ℹ pass ${counts.passed}`)
  console.log(`ℹ fail ${counts.failed}`)
  console.log(`ℹ cancelled ${counts.cancelled}`)
  console.log(`ℹ skipped ${counts.skipped}`)
  console.log(`ℹ todo ${counts.todo}`)
  console.log(`ℹ duration_ms ${milliseconds}`)
}
