import type { Clock } from '../clock.ts'
import type { Database } from './database.ts'

/** What every feature is given. */
export interface Context {
  database: Database
  now: Clock
}
