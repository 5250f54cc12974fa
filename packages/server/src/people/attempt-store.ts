import type { Reader, Tx } from '../database/database.ts'

export function readAttempts(db: Reader, subjects: string[]) {
  return db.selectFrom('attempts').selectAll().where('subject', 'in', subjects).execute()
}

export async function addAttempt(tx: Tx, subject: string, at: number): Promise<void> {
  await tx
    .insertInto('attempts')
    .values({ subject, failures: 1, last_at: at })
    .onConflict((conflict) =>
      conflict
        .column('subject')
        .doUpdateSet((e) => ({ failures: e('attempts.failures', '+', 1), last_at: at })),
    )
    .execute()
}

export async function takeAttemptBack(tx: Tx, subject: string): Promise<void> {
  await tx
    .updateTable('attempts')
    .set((e) => ({ failures: e('failures', '-', 1) }))
    .where('subject', '=', subject)
    .execute()
}

export async function deleteAttempts(tx: Tx, subject: string): Promise<void> {
  await tx.deleteFrom('attempts').where('subject', '=', subject).execute()
}

export async function deleteAttemptsBefore(tx: Tx, at: number): Promise<void> {
  await tx.deleteFrom('attempts').where('last_at', '<', at).execute()
}
