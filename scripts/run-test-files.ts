import { join, relative } from 'node:path'
import { run } from 'node:test'
import { spec, type TestEvent } from 'node:test/reporters'
import { repositoryRoot } from './repository.ts'

export interface TestTotals {
  success: boolean
  counts: Record<'tests' | 'suites' | 'passed' | 'failed' | 'cancelled' | 'skipped' | 'todo', number>
  milliseconds: number
}

const nothing: TestTotals = {
  success: true,
  counts: { tests: 0, suites: 0, passed: 0, failed: 0, cancelled: 0, skipped: 0, todo: 0 },
  milliseconds: 0,
}

/** Runs each file in a process of its own: a line per file, what failed in full, what was skipped by name. */
export async function runTestFiles(
  files: readonly string[],
  options: { concurrency: number; signal: AbortSignal },
): Promise<TestTotals> {
  let totals = nothing
  if (files.length === 0 || options.signal.aborted) return totals

  // Whole paths, because events of one file name it as it was given in some and whole in others.
  const paths = files.map((file) => join(repositoryRoot, file))
  const failures = new spec()
  failures.pipe(process.stdout, { end: false })
  /** What the process of a file has printed; of interest only where a test of it fails. */
  const said = new Map<string, TestEvent[]>()
  for await (const event of run({ files: paths, cwd: repositoryRoot, ...options })) {
    if (event.type === 'test:stdout' || event.type === 'test:stderr') {
      said.set(event.data.file, [...(said.get(event.data.file) ?? []), event])
    } else if (event.type === 'test:fail') {
      const { file = '' } = event.data
      for (const words of said.get(file) ?? []) failures.write(words)
      said.delete(file)
      failures.write(event)
    } else if (event.type === 'test:pass' && event.data.skip !== undefined) {
      console.log(`- ${event.data.name} (skipped: ${event.data.skip})`)
    } else if (event.type === 'test:summary') {
      const { success, counts, duration_ms: milliseconds, file } = event.data
      if (file === undefined) totals = { success, counts, milliseconds }
      else printFile(file, success, counts.tests, milliseconds)
    }
  }
  failures.end()
  return totals
}

function printFile(file: string, success: boolean, tests: number, milliseconds: number): void {
  const path = relative(repositoryRoot, file)
  console.log(`${success ? '✓' : '✗'} ${path} (${tests}, ${(milliseconds / 1000).toFixed(1)} s)`)
}

/** The closing lines of node's own reporter, over all runs together. */
export function printSummary(runs: readonly TestTotals[]): void {
  const sum = (count: keyof TestTotals['counts']) =>
    runs.reduce((total, { counts }) => total + counts[count], 0)
  console.log(`ℹ tests ${sum('tests')}`)
  console.log(`ℹ suites ${sum('suites')}`)
  console.log(`ℹ pass ${sum('passed')}`)
  console.log(`ℹ fail ${sum('failed')}`)
  console.log(`ℹ cancelled ${sum('cancelled')}`)
  console.log(`ℹ skipped ${sum('skipped')}`)
  console.log(`ℹ todo ${sum('todo')}`)
  console.log(`ℹ duration_ms ${runs.reduce((total, { milliseconds }) => total + milliseconds, 0)}`)
}
