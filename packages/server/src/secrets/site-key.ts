import { randomBytes } from 'node:crypto'
import type { Context } from '../database/database.ts'
import type { Sealing } from './sealing.ts'
import { openSharedKey, type SharedKey, sealedColumnOf } from './shared-key.ts'

const siteKey: SharedKey = { table: 'site_key', purpose: 'site key' }

export const siteKeyColumn = sealedColumnOf(siteKey)

/** Signs what visitors of protected sites carry. */
export function openSiteKey(context: Context & { sealing: Sealing }): Promise<Buffer> {
  return openSharedKey(context, siteKey, () => randomBytes(32))
}
