import type { Tx } from '../database/database.ts'
import type { ProjectContext } from './create-project.ts'
import { lockSlugs, releaseSlug } from './released-slugs.ts'
import { deleteProjectRow, type ProjectRow } from './store.ts'

export async function deleteProjectIn(
  { changes, database, now }: ProjectContext,
  tx: Tx,
  project: ProjectRow,
): Promise<void> {
  const { slug, account_id: accountId } = project
  await lockSlugs(database, tx, [slug])
  await deleteProjectRow(tx, project.id)
  await releaseSlug(tx, { slug, accountId, at: now() })
  await changes.record(tx, { kind: 'project', subject: project.slug })
}
