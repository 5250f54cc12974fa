import type { DoctorReport } from '@masthead/contract/schemas/operator.ts'
import { minute } from '../kernel/clock.ts'

/** What a page shows that anybody may reload: the questions to the world are asked again after this at the earliest. */
const freshFor = 5 * minute
/** Sooner while something is wrong, so that a fix is seen. */
const freshWhileWrong = minute

/** The latest report, without waiting. Null until the first run has ended; asking starts a run if it is time for one. */
export function keepReport(run: () => Promise<DoctorReport>): () => DoctorReport | null {
  let report: DoctorReport | null = null
  let endedAt = Number.NEGATIVE_INFINITY
  let isRunning = false

  function isDue(): boolean {
    const isWrong = report?.checks.some(({ status }) => status === 'problem' || status === 'warning')
    return performance.now() - endedAt >= (isWrong === false ? freshFor : freshWhileWrong)
  }

  async function refresh(): Promise<void> {
    isRunning = true
    try {
      report = await run()
    } catch {
      // The last report stays. Its time tells how old it is.
    } finally {
      isRunning = false
      endedAt = performance.now()
    }
  }

  return () => {
    if (!isRunning && isDue()) void refresh()
    return report
  }
}
