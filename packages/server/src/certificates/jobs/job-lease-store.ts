import type { Database, Reader, Tx } from '../../database/database.ts'
import { second } from '../../kernel/clock.ts'
import { type ClaimedJob, type JobChange, type JobRow, jobPriorities, LeaseLostError } from './job.ts'

export const heartbeatInterval = 10 * second
/** Three heartbeats, so that a late one does not lose the job. */
const leaseDuration = 3 * heartbeatInterval

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

/** Reads along a partial index of the jobs that have a next attempt. */
function dueJobs(db: Reader | Tx, now: number) {
  return db
    .selectFrom('certificate_jobs')
    .select(['name', 'lease_owner'])
    .where('next_attempt_at', '<=', now)
    .where('lease_until', '<=', now)
    .orderBy('next_attempt_at')
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
