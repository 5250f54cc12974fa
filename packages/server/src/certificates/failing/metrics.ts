import { Gauge, type Registry } from 'prom-client'
import type { Context } from '../../database/database.ts'
import { day, second } from '../../kernel/clock.ts'
import { causeOf, type FailureCause } from '../jobs/backoff.ts'
import { countFailing, firstFailingExpiries } from './failing-store.ts'

const causes = ['name', 'authority', 'server', 'budget'] as const satisfies readonly FailureCause[]
/** Certificates that expired long ago belong to names that left. */
const expiredWithin = 7 * day
/** Of those that expire first. Renewals begin early, so what fails is among them. */
const mostLookedAt = 1_000

/** Returns the function that measures. It is called from time to time, so that scrapes cost no query. */
export function registerCertificateMetrics(
  metrics: Registry,
  { database, now }: Pick<Context, 'database' | 'now'>,
): () => Promise<void> {
  const failing = new Gauge({
    name: 'masthead_certificates_failing',
    help: 'Names whose last attempt at a certificate failed, by whose problem it is',
    labelNames: ['cause'],
    registers: [metrics],
  })
  const firstExpiry = new Gauge({
    name: 'masthead_certificates_first_expiry_timestamp_seconds',
    help: 'When the first certificate expires that could not be renewed, by whose problem it is',
    labelNames: ['cause'],
    registers: [metrics],
  })
  return async () => {
    const counts = await countFailing(database.read)
    const expiries =
      counts.length === 0
        ? []
        : await firstFailingExpiries(database.read, { since: now() - expiredWithin, most: mostLookedAt })
    firstExpiry.reset()
    for (const cause of causes) {
      const names = counts.filter(({ kind }) => causeOf(kind) === cause).map((one) => one.names)
      failing.set(
        { cause },
        names.reduce((sum, one) => sum + one, 0),
      )
      const first = expiries.find(({ kind }) => causeOf(kind) === cause)
      if (first !== undefined) firstExpiry.set({ cause }, first.notAfter / second)
    }
  }
}
