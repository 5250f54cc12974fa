import type { ExpressionBuilder } from 'kysely'
import type { Reader, Tx } from '../../database/database.ts'
import type { Schema } from '../../database/schema.ts'
import type { JobRow } from './job.ts'

export async function findJob(db: Reader, name: string): Promise<JobRow | undefined> {
  return db.selectFrom('certificate_jobs').selectAll().where('name', '=', name).executeTakeFirst()
}

export async function findJobs(db: Reader, names: readonly string[]): Promise<JobRow[]> {
  if (names.length === 0) return []
  return db.selectFrom('certificate_jobs').selectAll().where('name', 'in', names).execute()
}

/** What to do if the name already has a job. A renewal stays one, which has tokens reserved at the CA. */
export type OnExistingJob = 'keep' | 'retry_now' | 'make_renewal'

export async function upsertJob(tx: Tx, row: JobRow, onExisting: OnExistingJob): Promise<void> {
  await tx
    .insertInto('certificate_jobs')
    .values(row)
    .onConflict((conflict) => {
      const existing = conflict.column('name')
      if (onExisting === 'keep') return existing.doNothing()
      if (onExisting === 'make_renewal') {
        return existing.doUpdateSet({
          reason: row.reason,
          ...(row.replaces !== null && { replaces: row.replaces }),
        })
      }
      return existing.doUpdateSet((eb) => ({
        asked_at: row.asked_at,
        next_attempt_at: row.next_attempt_at,
        rung: 0,
        ...(row.reason === 'asked' && {
          reason: eb
            .case()
            .when('certificate_jobs.reason', '=', 'renewal')
            .then<JobRow['reason']>('renewal')
            .else<JobRow['reason']>('asked')
            .end(),
        }),
        generation: eb('certificate_jobs.generation', '+', 1),
        ...(row.account_id !== null && { account_id: row.account_id }),
      }))
    })
    .execute()
}

/** The next attempt shows whether it still fails. */
export async function forgetFailure(tx: Tx, name: string): Promise<void> {
  await tx
    .updateTable('certificate_jobs')
    .set({ problem_kind: null, last_error: null })
    .where('name', '=', name)
    .execute()
}

/** Orders belong to the account that placed them. */
export async function forgetOrdersOf(tx: Tx, issuer: string): Promise<void> {
  await tx
    .updateTable('certificate_jobs')
    .set({ issuer: null, order_url: null, sealed_key: null })
    .where('issuer', '=', issuer)
    .execute()
}

/** Call once the CA has a valid account for us. */
export async function retryRefused(tx: Tx, now: number): Promise<void> {
  await tx
    .updateTable('certificate_jobs')
    .set({ next_attempt_at: now })
    .where('problem_kind', '=', 'account_refused')
    .execute()
}

export async function deleteJob(tx: Tx, name: string): Promise<void> {
  await tx.deleteFrom('certificate_jobs').where('name', '=', name).execute()
}

/** Whether a job belongs to none of these accounts. */
export function isOfOther(accounts: readonly string[]) {
  return (job: ExpressionBuilder<Schema, 'certificate_jobs'>) =>
    job.or([job('account_id', 'is', null), job('account_id', 'not in', accounts)])
}

/**
 * When the next job is due. `saturated` accounts and jobs that are due now are left out if some accounts have more of
 * those than they may run: the others were just claimed, and reading all of theirs would cost too much.
 */
export async function nextJobAt(
  db: Reader,
  now: number,
  saturated: readonly string[] = [],
): Promise<number | null> {
  const row = await db
    .selectFrom('certificate_jobs')
    .select('next_attempt_at')
    .$if(saturated.length > 0, (jobs) => jobs.where('next_attempt_at', '>', now).where(isOfOther(saturated)))
    .where('next_attempt_at', 'is not', null)
    .where('lease_until', '<=', now)
    .orderBy('next_attempt_at')
    .limit(1)
    .executeTakeFirst()
  return row?.next_attempt_at ?? null
}

/** When the last of an account's names that wait for their first order will retry, within this period. */
export async function lastWaitingAt(
  db: Reader | Tx,
  { account, except, from, to }: { account: string; except: string; from: number; to: number },
): Promise<number | null> {
  const row = await db
    .selectFrom('certificate_jobs')
    .select('next_attempt_at')
    .where('account_id', '=', account)
    .where('problem_kind', '=', 'budget')
    .where('reason', '!=', 'renewal')
    .where('next_attempt_at', '>', from)
    .where('next_attempt_at', '<=', to)
    .where('name', '!=', except)
    .orderBy('next_attempt_at', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.next_attempt_at ?? null
}
