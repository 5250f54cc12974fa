import type { Id } from '@masthead/contract/ids.ts'
import { type Database, lock, type Tx } from '../database/database.ts'
import { findProjectById, type ProjectRow } from './store.ts'

/**
 * Makes those who change a project or its deployments wait for each other, and gives the project as it is now.
 * Where the lock of the account's uploads is needed too, that one comes first.
 */
export async function lockProject(
  database: Pick<Database, 'dialect'>,
  tx: Tx,
  id: Id<'project'>,
): Promise<ProjectRow | undefined> {
  await lock(database, tx, `project:${id}`)
  return findProjectById(tx, id)
}
