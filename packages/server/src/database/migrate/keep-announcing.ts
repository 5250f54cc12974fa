import type { Kysely } from 'kysely'
import { second } from '../../kernel/clock.ts'
import { withTimeout } from '../../kernel/with-timeout.ts'
import type { Schema } from '../schema.ts'
import { announceEvery, announceVersion, retractVersion } from './live-versions.ts'
import { checkStillCompatible, type MigrateOptions, migrate } from './migrate.ts'
import { newestOf } from './migration.ts'

/** The database may be away when the process stops. */
const retractTimeout = second

export interface AnnouncingParts extends Omit<MigrateOptions, 'patience'> {
  /** Whether a contract migration waits for an older version to stop. */
  hasToWait: boolean
  log: { warn(details: object, message: string): void }
}

export interface Announcing {
  readonly outdated: Promise<string>
  stop(): Promise<void>
}

/** Says that this version runs for as long as it does, and runs contract migrations once older ones have stopped. */
export function keepAnnouncing(kysely: Kysely<Schema>, parts: AnnouncingParts): Announcing {
  const { dialect, migrations, self, log } = parts
  const outdated = Promise.withResolvers<string>()
  let { hasToWait } = parts

  async function announce(): Promise<void> {
    const problem = await checkStillCompatible(kysely, migrations)
    if (problem !== null) return outdated.resolve(problem)
    await announceVersion(kysely, dialect, { id: self, newest: newestOf(migrations) })
    if (hasToWait) hasToWait = await migrate(kysely, { dialect, migrations, self, patience: 0 })
  }

  let announced: Promise<void> = Promise.resolve()
  const timer = setInterval(() => {
    announced = announce().catch((error: unknown) => {
      log.warn({ err: error }, 'could not announce this version in the database; trying again')
    })
  }, announceEvery).unref()

  return {
    outdated: outdated.promise,
    async stop() {
      clearInterval(timer)
      await withTimeout(
        announced.then(() => retractVersion(kysely, self)),
        retractTimeout,
      ).catch(() => {})
    },
  }
}
