import type { Context } from '../database/database.ts'
import type { SignInRequest } from './passes.ts'
import { activeProtection } from './protection.ts'
import { findProtection } from './store.ts'

/** The project's own password, hashed; null if it has none any more. */
export async function findHashes(
  { database }: Pick<Context, 'database'>,
  { projectId }: Pick<SignInRequest, 'projectId'>,
): Promise<readonly string[] | null> {
  const stored = activeProtection(await findProtection(database.read, projectId))
  return stored === null ? null : [stored.hash]
}
