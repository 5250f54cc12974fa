import { Counter, type Registry } from 'prom-client'
import type { Limiter } from '../../limits/limiter.ts'
import type { Verdict } from '../../limits/verdict.ts'

/** The same limiter, whose verdicts are counted, wherever it counts requests. */
export function countVerdicts(limiter: Limiter, metrics: Registry): Limiter {
  const counts = { admitted: 0, rejected: 0, banned: 0 }
  new Counter({
    name: 'masthead_limits_verdicts_total',
    help: 'Requests to the API that the limits admitted, rejected, or rejected because of a ban',
    labelNames: ['verdict'],
    registers: [metrics],
    collect() {
      this.reset()
      for (const [verdict, count] of Object.entries(counts)) this.inc({ verdict }, count)
    },
  })

  function count(verdict: Verdict): Verdict {
    if (verdict.admitted) counts.admitted++
    else if (verdict.ban === null) counts.rejected++
    else counts.banned++
    return verdict
  }

  /** Without a promise where there is none: most servers decide in memory. */
  function counted(verdict: Verdict | Promise<Verdict>): Verdict | Promise<Verdict> {
    return verdict instanceof Promise ? verdict.then(count) : count(verdict)
  }

  return {
    ...limiter,
    check: (request) => counted(limiter.check(request)),
    checkAddress: (address) => counted(limiter.checkAddress(address)),
    checkPerson: (request) => counted(limiter.checkPerson(request)),
    checkOperator: () => counted(limiter.checkOperator()),
  }
}
