import type { Context } from '../database/database.ts'
import type { ChangeFeed } from '../events/change-feed.ts'
import type { Sealing } from '../secrets/sealing.ts'

export interface IssuingContext extends Context {
  changes: ChangeFeed
  sealing: Sealing
}
