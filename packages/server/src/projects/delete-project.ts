import type { Tx } from '../database/database.ts'
import type { ProjectContext } from './create-project.ts'
import { deleteProjectRow, type ProjectRow } from './store.ts'

export async function deleteProjectIn(
  { changes }: ProjectContext,
  tx: Tx,
  project: ProjectRow,
): Promise<void> {
  await deleteProjectRow(tx, project.id)
  await changes.record(tx, { kind: 'project', subject: project.slug })
}
