import type { Kysely } from 'kysely'
import { second } from '../../kernel/clock.ts'
import { withTimeout } from '../../kernel/with-timeout.ts'
import type { Schema } from '../schema.ts'
import {
  announceEvery,
  announceSettings,
  announceVersion,
  type NodeSettings,
  retractVersion,
} from './live-versions.ts'
import { checkStillCompatible, type MigrateOptions, migrate } from './migrate.ts'
import { newestOf } from './migration.ts'

/** The database may be away when the process stops. */
const retractTimeout = second

export interface AnnouncingParts extends Omit<MigrateOptions, 'patience'> {
  /** Whether a contract migration waits for an older version to stop. */
  hasToWait: boolean
}

export interface Announcing {
  readonly outdated: Promise<string>
  /** Others learn what this process runs with. */
  describe(settings: NodeSettings): Promise<void>
  stop(): Promise<void>
}

/** Says that this version runs for as long as it does, and runs contract migrations once older ones have stopped. */
export function keepAnnouncing(kysely: Kysely<Schema>, parts: AnnouncingParts): Announcing {
  const { dialect, migrations, self, log } = parts
  const outdated = Promise.withResolvers<string>()
  let { hasToWait } = parts
  let settings: NodeSettings | null = null

  async function announce(): Promise<void> {
    const problem = await checkStillCompatible(kysely, migrations)
    if (problem !== null) return outdated.resolve(problem)
    await announceVersion(kysely, dialect, { id: self, newest: newestOf(migrations) })
    // Its row may be new, after a long pause.
    if (settings !== null) await announceSettings(kysely, self, settings)
    if (hasToWait) hasToWait = await migrate(kysely, { dialect, migrations, self, log, patience: 0 })
  }

  const later = (error: unknown) => {
    log.warn({ err: error }, 'could not announce this version in the database; trying again')
  }
  let announced: Promise<void> = Promise.resolve()
  const timer = setInterval(() => {
    announced = announce().catch(later)
  }, announceEvery).unref()

  return {
    outdated: outdated.promise,
    async describe(given) {
      settings = given
      await announceSettings(kysely, self, given).catch(later)
    },
    async stop() {
      clearInterval(timer)
      await withTimeout(
        announced.then(() => retractVersion(kysely, self)),
        retractTimeout,
      ).catch(() => {})
    },
  }
}
