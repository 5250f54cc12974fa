import { statfs } from 'node:fs/promises'
import { Gauge, type Registry } from 'prom-client'
import { type PingedDatabase, pingDatabase } from '../../database/database-health.ts'
import { second } from '../../kernel/clock.ts'
import { singleFlight } from '../../kernel/single-flight.ts'
import { withTimeout } from '../../kernel/with-timeout.ts'

/** Collectors of metrics give up after 10 seconds by default. */
const answerWithin = 2 * second

/** Whether what the server needs is there, asked whenever metrics are read. */
export function registerDependencies(
  metrics: Registry,
  { database, dataFolder }: { database: PingedDatabase; dataFolder: string },
): void {
  // Questions that hang must not pile up, however often somebody asks.
  const ping = singleFlight<void, void>(() => pingDatabase(database))
  new Gauge({
    name: 'masthead_database_up',
    help: 'Whether the database responds and can be changed (1) or not (0)',
    registers: [metrics],
    async collect() {
      const isUp = await withTimeout(ping(), answerWithin).then(
        () => true,
        () => false,
      )
      this.set(isUp ? 1 : 0)
    },
  })
  new Gauge({
    name: 'masthead_data_free_bytes',
    help: 'Free space on the file system of MASTHEAD_DATA',
    registers: [metrics],
    async collect() {
      const space = await statfs(dataFolder).catch(() => null)
      this.set(space === null ? Number.NaN : space.bavail * space.bsize)
    },
  })
}
