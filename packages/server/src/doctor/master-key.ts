import type { DoctorFinding } from '@masthead/contract/schemas/operator.ts'
import type { Context } from '../database/database.ts'
import { MasterKeyError } from '../secrets/master-key.ts'
import { type MasterKeySource, verifyMasterKey } from '../secrets/open-sealing.ts'
import { ok, problem, skipped } from './check.ts'

/** Whether the master key opens what is stored. */
export async function checkMasterKey(
  context: Context | null,
  source: MasterKeySource,
): Promise<DoctorFinding> {
  if (context === null) return skipped('The first start creates it, unless MASTHEAD_MASTER_KEY is set.')
  try {
    const state = await verifyMasterKey(context, source)
    return state === 'unused' ? skipped('Nothing is encrypted yet.') : ok('It decrypts what is stored.')
  } catch (error) {
    if (!(error instanceof MasterKeyError)) return skipped('The database does not answer.')
    return problem(error.fault, error.fix ?? 'Restore the master key from a backup.')
  }
}
