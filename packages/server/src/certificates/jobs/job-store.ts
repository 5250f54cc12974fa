import type { Selectable } from 'kysely'
import type { Database, Reader, Tx } from '../../database/database.ts'
import type { Schema } from '../../database/schema.ts'
import { second } from '../../kernel/clock.ts'

export type JobRow = Selectable<Schema['certificate_jobs']>
export type JobChange = Partial<Omit<JobRow, 'name' | 'lease_owner' | 'lease_until'>>

/** A job and who has it. The owner is another one for every claim, so that a lease is told from a later one. */
export interface ClaimedJob {
  row: JobRow
  owner: string
  /** Whoever had it before has not put it down: its process was killed, or hangs. */
  isTakenOver: boolean
}

/** Who comes first of those that are due. */
export const jobPriorities = {
  /** Custom domains, which only paid plans have; renewals; the operator's own names. */
  first: 0,
  /** Other names of the platform. */
  usual: 1,
  /** Names that failed before. */
  failed: 2,
} as const

/** Whether the job was asked for since it was claimed. Told by count: clocks of two machines may differ. */
export function isRequestedAgain({ row }: ClaimedJob, now: Pick<JobRow, 'generation'>): boolean {
  return now.generation !== row.generation
}

/** Somebody else has the job, or it is gone: what was found out since must not be stored. */
export class LeaseLostError extends Error {
  override readonly name = 'LeaseLostError'
}

export const heartbeatInterval = 10 * second
/** Three heartbeats: one that is late does not give the job away. */
const leaseDuration = 3 * heartbeatInterval

export async function findJob(db: Reader, name: string): Promise<JobRow | undefined> {
  return db.selectFrom('certificate_jobs').selectAll().where('name', '=', name).executeTakeFirst()
}

export async function findJobs(db: Reader, names: readonly string[]): Promise<JobRow[]> {
  if (names.length === 0) return []
  return db.selectFrom('certificate_jobs').selectAll().where('name', 'in', names).execute()
}

/** What is done to the job of a name that has one. */
export type OnExistingJob = 'left' | 'tried_at_once' | 'made_renewal'

export async function upsertJob(tx: Tx, row: JobRow, again: OnExistingJob): Promise<void> {
  await tx
    .insertInto('certificate_jobs')
    .values(row)
    .onConflict((conflict) => {
      const found = conflict.column('name')
      if (again === 'left') return found.doNothing()
      if (again === 'made_renewal') {
        return found.doUpdateSet({
          reason: row.reason,
          ...(row.replaces !== null && { replaces: row.replaces }),
        })
      }
      return found.doUpdateSet((eb) => ({
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

/** The job as it is now, which stays so until the end of the transaction. */
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
  const held = await (dialect === 'postgres' ? ours.forUpdate() : ours).executeTakeFirst()
  if (held === undefined) throw new LeaseLostError(row.name)
  return held
}

/** Takes up to `most` jobs, by priority, longest due first. What another worker takes at the same moment is passed over. */
export async function claimDueJobs(
  database: Database,
  { owner, now, most }: { owner: string; now: number; most: number },
): Promise<ClaimedJob[]> {
  // A cheap look first, so that idle workers do not queue for the one writer of SQLite.
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

/** When a job is due next; null where none is. */
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

/** When the last of an account's names is tried again that wait for the CA's limits, within this time. */
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

/** For a database that no other process works on: whoever had a job is gone, and it can be taken over at once. */
export async function endAllLeases(database: Database): Promise<void> {
  await database.write((tx) =>
    tx.updateTable('certificate_jobs').set({ lease_until: 0 }).where('lease_owner', 'is not', null).execute(),
  )
}

/** Notes how far the job is, and keeps it. */
export async function recordProgress(tx: Tx, { row, owner }: ClaimedJob, change: JobChange): Promise<void> {
  const { numUpdatedRows } = await tx
    .updateTable('certificate_jobs')
    .set(change)
    .where('name', '=', row.name)
    .where('lease_owner', '=', owner)
    .executeTakeFirst()
  if (numUpdatedRows === 0n) throw new LeaseLostError(row.name)
}

/** Puts the job down, to be taken up again when `change` says. */
export async function releaseJob(tx: Tx, job: ClaimedJob, change: JobChange): Promise<void> {
  const free: Partial<JobRow> = { ...change, lease_owner: null, lease_until: 0 }
  await recordProgress(tx, job, free)
}

export async function finishJob(tx: Tx, { row, owner }: ClaimedJob): Promise<void> {
  const { numDeletedRows } = await tx
    .deleteFrom('certificate_jobs')
    .where('name', '=', row.name)
    .where('lease_owner', '=', owner)
    .executeTakeFirst()
  if (numDeletedRows === 0n) throw new LeaseLostError(row.name)
}

/** An index holds what is ever due in the order of time. */
function dueJobs(db: Reader | Tx, now: number) {
  return db
    .selectFrom('certificate_jobs')
    .select(['name', 'lease_owner'])
    .where('next_attempt_at', '<=', now)
    .where('lease_until', '<=', now)
    .orderBy('next_attempt_at')
}
