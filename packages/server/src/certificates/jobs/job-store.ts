import type { Selectable } from 'kysely'
import type { Database, Reader, Tx } from '../../database/database.ts'
import type { Schema } from '../../database/schema.ts'
import { second } from '../../kernel/clock.ts'

export type JobRow = Selectable<Schema['certificate_jobs']>
export type JobChange = Partial<Omit<JobRow, 'name' | 'lease_owner' | 'lease_until'>>

/** A job and its lease. The owner differs for every claim, so that a lost lease is not mistaken for a later one. */
export interface ClaimedJob {
  row: JobRow
  owner: string
  /** The previous owner never released it: its process was killed or hangs. */
  isTakenOver: boolean
}

/** The order among jobs that are due. */
export const jobPriorities = {
  /** Custom domains, which only paid plans have, renewals, and the operator's own names. */
  first: 0,
  /** Other platform names. */
  usual: 1,
  /** Names that failed before. */
  failed: 2,
} as const

/** Whether the certificate was requested since the claim. Uses a counter because machines' clocks may differ. */
export function isRequestedAgain({ row }: ClaimedJob, now: Pick<JobRow, 'generation'>): boolean {
  return now.generation !== row.generation
}

/** Another worker has the job, or it was deleted: our results must not be stored. */
export class LeaseLostError extends Error {
  override readonly name = 'LeaseLostError'
}

export const heartbeatInterval = 10 * second
/** Three heartbeats, so that a late one does not lose the job. */
const leaseDuration = 3 * heartbeatInterval

export async function findJob(db: Reader, name: string): Promise<JobRow | undefined> {
  return db.selectFrom('certificate_jobs').selectAll().where('name', '=', name).executeTakeFirst()
}

export async function findJobs(db: Reader, names: readonly string[]): Promise<JobRow[]> {
  if (names.length === 0) return []
  return db.selectFrom('certificate_jobs').selectAll().where('name', 'in', names).execute()
}

/** What to do if the name already has a job. */
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
        generation: eb('certificate_jobs.generation', '+', 1),
        ...(row.account_id !== null && { account_id: row.account_id }),
      }))
    })
    .execute()
}

export async function deleteJob(tx: Tx, name: string): Promise<void> {
  await tx.deleteFrom('certificate_jobs').where('name', '=', name).execute()
}

/** Reads the job and locks it until the end of the transaction. */
export async function lockJob(
  { dialect }: Pick<Database, 'dialect'>,
  tx: Tx,
  { row, owner }: ClaimedJob,
): Promise<JobRow> {
  const ours = tx
    .selectFrom('certificate_jobs')
    .selectAll()
    .where('name', '=', row.name)
    .where('lease_owner', '=', owner)
  const locked = await (dialect === 'postgres' ? ours.forUpdate() : ours).executeTakeFirst()
  if (locked === undefined) throw new LeaseLostError(row.name)
  return locked
}

/** Claims up to `most` jobs, by priority, then longest due first. Skips those another worker is just claiming. */
export async function claimDueJobs(
  database: Database,
  { owner, now, most }: { owner: string; now: number; most: number },
): Promise<ClaimedJob[]> {
  // Read first, so that idle workers don't queue for SQLite's only writer.
  if ((await dueJobs(database.read, now).limit(1).executeTakeFirst()) === undefined) return []
  return database.write(async (tx) => {
    const free: Pick<JobRow, 'name' | 'lease_owner'>[] = []
    for (const priority of Object.values(jobPriorities)) {
      if (free.length === most) break
      const due = dueJobs(tx, now)
        .where('priority', '=', priority)
        .limit(most - free.length)
      free.push(...(await (database.dialect === 'postgres' ? due.forUpdate().skipLocked() : due).execute()))
    }
    if (free.length === 0) return []
    const rows = await tx
      .updateTable('certificate_jobs')
      .set({ lease_owner: owner, lease_until: now + leaseDuration })
      .where(
        'name',
        'in',
        free.map(({ name }) => name),
      )
      .returningAll()
      .execute()
    const takenOver = new Set(free.filter((one) => one.lease_owner !== null).map(({ name }) => name))
    return rows.map((row) => ({ row, owner, isTakenOver: takenOver.has(row.name) }))
  })
}

/** When the next job is due. */
export async function nextJobAt(db: Reader, now: number): Promise<number | null> {
  const row = await db
    .selectFrom('certificate_jobs')
    .select('next_attempt_at')
    .where('next_attempt_at', 'is not', null)
    .where('lease_until', '<=', now)
    .orderBy('next_attempt_at')
    .limit(1)
    .executeTakeFirst()
  return row?.next_attempt_at ?? null
}

/** When the last of an account's names waiting for the budget will retry, within this period. */
export async function lastWaitingAt(
  db: Reader | Tx,
  { account, except, from, to }: { account: string; except: string; from: number; to: number },
): Promise<number | null> {
  const row = await db
    .selectFrom('certificate_jobs')
    .select('next_attempt_at')
    .where('account_id', '=', account)
    .where('problem_kind', '=', 'budget')
    .where('next_attempt_at', '>', from)
    .where('next_attempt_at', '<=', to)
    .where('name', '!=', except)
    .orderBy('next_attempt_at', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row?.next_attempt_at ?? null
}

export async function extendLeases(
  database: Database,
  jobs: readonly ClaimedJob[],
  now: number,
): Promise<void> {
  if (jobs.length === 0) return
  const names = jobs.map(({ row }) => row.name)
  const owners = [...new Set(jobs.map(({ owner }) => owner))]
  await database.write((tx) =>
    tx
      .updateTable('certificate_jobs')
      .set({ lease_until: now + leaseDuration })
      .where('name', 'in', names)
      .where('lease_owner', 'in', owners)
      .execute(),
  )
}

/** Call only if no other process uses this database: previous owners are gone and their jobs can be taken over. */
export async function endAllLeases(database: Database): Promise<void> {
  await database.write((tx) =>
    tx.updateTable('certificate_jobs').set({ lease_until: 0 }).where('lease_owner', 'is not', null).execute(),
  )
}

/** Stores progress and keeps the lease. */
export async function recordProgress(tx: Tx, { row, owner }: ClaimedJob, change: JobChange): Promise<void> {
  const { numUpdatedRows } = await tx
    .updateTable('certificate_jobs')
    .set(change)
    .where('name', '=', row.name)
    .where('lease_owner', '=', owner)
    .executeTakeFirst()
  if (numUpdatedRows === 0n) throw new LeaseLostError(row.name)
}

/** Stores the change and gives up the lease. */
export async function releaseJob(tx: Tx, job: ClaimedJob, change: JobChange): Promise<void> {
  const released: Partial<JobRow> = { ...change, lease_owner: null, lease_until: 0 }
  await recordProgress(tx, job, released)
}

export async function finishJob(tx: Tx, { row, owner }: ClaimedJob): Promise<void> {
  const { numDeletedRows } = await tx
    .deleteFrom('certificate_jobs')
    .where('name', '=', row.name)
    .where('lease_owner', '=', owner)
    .executeTakeFirst()
  if (numDeletedRows === 0n) throw new LeaseLostError(row.name)
}

/** Reads along a partial index of the jobs that have a next attempt. */
function dueJobs(db: Reader | Tx, now: number) {
  return db
    .selectFrom('certificate_jobs')
    .select(['name', 'lease_owner'])
    .where('next_attempt_at', '<=', now)
    .where('lease_until', '<=', now)
    .orderBy('next_attempt_at')
}
