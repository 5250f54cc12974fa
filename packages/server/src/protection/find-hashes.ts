import type { Context } from '../database/database.ts'
import type { SignInRequest } from './passes.ts'
import { activeProtection } from './protection.ts'
import { findProtection } from './store.ts'

/** The passwords, hashed, that would let this visitor in; null if the site needs none any more. */
export async function findHashes(
  { database }: Pick<Context, 'database'>,
  { projectId }: Pick<SignInRequest, 'projectId'>,
  _user: string,
): Promise<readonly string[] | null> {
  const stored = activeProtection(await findProtection(database.read, projectId))
  return stored === null ? null : [stored.hash]
}
