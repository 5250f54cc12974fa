import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { run } from 'node:test'
import { spec, type TestEvent } from 'node:test/reporters'
import { repositoryRoot } from '../repository.ts'
import { endOfFile, splitByFile } from './marks.ts'
import {
  addFailure,
  addTotals,
  countTest,
  failureType,
  noTotals,
  type TestResult,
  type TestTotals,
} from './totals.ts'

export interface GroupOptions {
  signal: AbortSignal
  /** A file that hangs fails alone, instead of keeping the others from their summary. */
  longestFileMs: number
}

/**
 * Runs files one after the other in one process: a line per file, what failed in full, what was skipped by name. If the
 * process ends early, the file that was running has failed, and those after it get another process.
 */
export async function runTestGroup(files: readonly string[], options: GroupOptions): Promise<TestTotals> {
  const totals = noTotals()
  let waiting = files
  while (waiting.length > 0 && !options.signal.aborted) {
    const group = new GroupProcess(waiting)
    await group.run(options)
    addTotals(totals, group.totals)
    waiting = group.unfinished
  }
  return totals
}

class FileReport {
  readonly totals = noTotals()
  readonly printed: TestEvent[] = []
  readonly failed: TestEvent[] = []
  readonly skipped: string[] = []
  hasEnded = false
}

class GroupProcess {
  readonly totals = noTotals()
  readonly #reports: Map<string, FileReport>
  /** What each output last said was running. */
  readonly #printing: Record<'test:stdout' | 'test:stderr', string>

  constructor(files: readonly string[]) {
    const [first = ''] = files
    this.#reports = new Map(files.map((file) => [file, new FileReport()]))
    this.#printing = { 'test:stdout': first, 'test:stderr': first }
  }

  get unfinished(): string[] {
    return [...this.#reports].filter(([, { hasEnded }]) => !hasEnded).map(([file]) => file)
  }

  async run({ signal, longestFileMs }: GroupOptions): Promise<void> {
    const stuck = new AbortController()
    const watch = setTimeout(() => stuck.abort(), longestFileMs)
    const files = [join(repositoryRoot, 'scripts/test-group/process.ts')]
    const argv = [...this.#reports.keys()]
    const ends = AbortSignal.any([signal, stuck.signal])
    const warnings: TestEvent[] = []
    let ownResult: TestResult | undefined
    for await (const event of run({ files, argv, cwd: repositoryRoot, signal: ends })) {
      if (event.type === 'test:stdout' || event.type === 'test:stderr') this.#print(event)
      else if (event.type === 'test:diagnostic' && event.data.file !== undefined) warnings.push(event)
      else if (event.type === 'test:pass' || event.type === 'test:fail') {
        if (event.data.nesting > 0) this.#endTest(event)
        else if (this.#reports.has(event.data.name)) {
          this.#endFile(event)
          watch.refresh()
        } else ownResult = event
      }
    }
    clearTimeout(watch)
    const isLeft = this.unfinished.length > 0 || stuck.signal.aborted
    // After a failed test, node sometimes reports the process as failed too.
    const isBroken = isLeft || (ownResult?.type === 'test:fail' && this.totals.success)
    if (isBroken && !signal.aborted) this.#blame(ownResult, stuck.signal.aborted)
    if (this.totals.success) return
    const broken = [...this.#reports.values()].filter(({ totals }) => !totals.success)
    const printed = broken.flatMap((report) => [...report.printed, ...report.failed])
    console.log(await printable([...printed, ...warnings]))
    const failed = broken.flatMap((report) => report.failed)
    this.totals.failures.push(await printable([...failed, ...warnings]))
  }

  #print(event: Extract<TestEvent, { type: 'test:stdout' | 'test:stderr' }>): void {
    for (const { file, text } of splitByFile(event.data.message, this.#printing[event.type])) {
      this.#printing[event.type] = file
      if (text !== '')
        this.#reports.get(file)?.printed.push({ ...event, data: { ...event.data, message: text } })
    }
  }

  /** Results come in order, so they belong to the first file without an end. */
  #endTest(result: TestResult): void {
    const report = this.#reports.get(this.unfinished[0] ?? '')
    if (report === undefined || result.data.name === endOfFile) return
    countTest(report.totals, result)
    const outer = { ...result, data: { ...result.data, nesting: result.data.nesting - 1 } } as TestEvent
    if (result.type === 'test:fail') report.failed.push(outer)
    else if (result.data.skip !== undefined) {
      report.skipped.push(`- ${result.data.name} (skipped: ${result.data.skip})`)
    }
  }

  #endFile(result: TestResult): void {
    const { name: file, details } = result.data
    const report = this.#reports.get(file)
    if (report === undefined) return
    if (result.type === 'test:fail') {
      report.totals.success = false
      // Otherwise what failed has been counted already.
      if (failureType(result) !== 'subtestsFailed') {
        countTest(report.totals, result)
        report.failed.push(result)
      }
    }
    report.totals.milliseconds = details.duration_ms
    this.#close(file, report)
  }

  /** The process failed or ended early: the file it was at is to blame, or something that a file left behind. */
  #blame(failure: TestResult | undefined, isStuck: boolean): void {
    const file = this.#printing['test:stderr']
    const report = this.#reports.get(file)
    if (report !== undefined && !report.hasEnded) {
      console.log(isStuck ? `${file} did not end in time.` : `${file} ended its process.`)
      addFailure(report.totals)
      if (failure?.type === 'test:fail') report.failed.push(failure)
      this.#close(file, report)
    } else {
      console.log(`✗ the process of ${[...this.#reports.keys()].join(' ')}`)
      console.log(isStuck ? 'Something is still open.' : 'Something went on after its test had ended.')
      addFailure(this.totals)
    }
  }

  #close(file: string, report: FileReport): void {
    report.hasEnded = true
    for (const line of report.skipped) console.log(line)
    const { success, counts, milliseconds } = report.totals
    console.log(`${success ? '✓' : '✗'} ${file} (${counts.tests}, ${(milliseconds / 1000).toFixed(1)} s)`)
    addTotals(this.totals, report.totals)
  }
}

/** As node's own reporter prints them. */
async function printable(events: readonly TestEvent[]): Promise<string> {
  const reporter = new spec()
  for (const event of events) reporter.write(event)
  reporter.end()
  return (await text(reporter)).trimEnd()
}
