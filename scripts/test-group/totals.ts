import type { TestEvent } from 'node:test/reporters'

const counted = ['tests', 'suites', 'passed', 'failed', 'cancelled', 'skipped', 'todo'] as const

export interface TestTotals {
  success: boolean
  counts: Record<(typeof counted)[number], number>
  milliseconds: number
  /** As printed when they happened, without what the tests printed themselves. */
  failures: string[]
}

export const noTotals = (): TestTotals => ({
  success: true,
  counts: { tests: 0, suites: 0, passed: 0, failed: 0, cancelled: 0, skipped: 0, todo: 0 },
  milliseconds: 0,
  failures: [],
})

export function addTotals(sum: TestTotals, { success, counts, failures }: TestTotals): void {
  sum.success &&= success
  sum.failures.push(...failures)
  for (const count of counted) sum.counts[count] += counts[count]
}

/** One that no test reported. */
export function addFailure(totals: TestTotals): void {
  totals.success = false
  totals.counts.tests++
  totals.counts.failed++
}

export type TestResult = Extract<TestEvent, { type: 'test:pass' | 'test:fail' }>

const cancelled = new Set<unknown>(['cancelledByParent', 'testAborted', 'testTimeoutFailure'])

/** Why a test failed, in node's own terms; undefined for one that passed. */
export function failureType({ data: { details } }: TestResult): unknown {
  const error: unknown = 'error' in details ? details.error : undefined
  return error instanceof Error && 'failureType' in error ? error.failureType : undefined
}

/** As node's own summary counts. */
export function countTest({ counts }: TestTotals, result: TestResult): void {
  const { details, skip, todo } = result.data
  if (details.type === 'suite') counts.suites++
  else {
    counts.tests++
    if (skip !== undefined) counts.skipped++
    else if (todo !== undefined) counts.todo++
    else if (cancelled.has(failureType(result))) counts.cancelled++
    else if (result.type === 'test:fail') counts.failed++
    else counts.passed++
  }
}

/** The closing lines of node's own reporter, and once more what failed: it is far above. */
export function printSummary({ counts, milliseconds, failures }: TestTotals): void {
  console.log(`ℹ tests ${counts.tests}`)
  console.log(`ℹ suites ${counts.suites}`)
  console.log(`ℹ pass ${counts.passed}`)
  console.log(`ℹ fail ${counts.failed}`)
  console.log(`ℹ cancelled ${counts.cancelled}`)
  console.log(`ℹ skipped ${counts.skipped}`)
  console.log(`ℹ todo ${counts.todo}`)
  console.log(`ℹ duration_ms ${milliseconds}`)
  for (const failure of failures) console.log(failure)
}
