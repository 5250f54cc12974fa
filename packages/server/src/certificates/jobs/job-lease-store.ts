import type { Database, Reader, Tx } from '../../database/database.ts'
import { second } from '../../kernel/clock.ts'
import type { FairSemaphore } from '../../kernel/fair-queue.ts'
import { type ClaimedJob, type JobChange, type JobRow, jobPriorities, LeaseLostError } from './job.ts'
import { isOfOther } from './job-store.ts'

export const heartbeatInterval = 10 * second
/** Three heartbeats, so that a late one does not lose the job. */
const leaseDuration = 3 * heartbeatInterval

export interface JobClaim {
  owner: string
  now: number
  /** One is acquired for each claimed job, by its account. Names of the operator have none. */
  slots: FairSemaphore
}

/**
 * Claims jobs that are due, as many as the slots and the shares of their accounts allow: by priority, then longest due
 * first. Skips those another worker is just claiming.
 */
export async function claimDueJobs(
  database: Database,
  { owner, now, slots }: JobClaim,
): Promise<ClaimedJob[]> {
  // Read first, so that idle workers don't queue for SQLite's only writer.
  const first = await dueJobs(database.read, now, slots)
    .where('priority', 'in', Object.values(jobPriorities))
    .limit(1)
    .executeTakeFirst()
  if (first === undefined || slots.isFull) return []
  const acquired: DueJob[] = []
  try {
    return await database.write(async (tx) => {
      const claimed: ClaimedJob[] = []
      for (const priority of Object.values(jobPriorities)) {
        for (let someWait = true; someWait && !slots.isFull; ) {
          const due = dueJobs(tx, now, slots)
            .where('priority', '=', priority)
            .orderBy('next_attempt_at')
            .limit(slots.free)
          const found = await (database.dialect === 'postgres' ? due.forUpdate().skipLocked() : due).execute()
          const ours = found.filter(({ account_id }) => slots.tryAcquire(account_id))
          acquired.push(...ours)
          claimed.push(...(await leaseJobs(tx, ours, { owner, now })))
          // Their accounts have their shares now. Look behind them for jobs of others.
          someWait = ours.length < found.length
        }
      }
      return claimed
    })
  } catch (error) {
    for (const { account_id } of acquired) slots.release(account_id)
    throw error
  }
}

type DueJob = Pick<JobRow, 'name' | 'lease_owner' | 'account_id'>

/** Of accounts that have room. Reads nothing but an index of the jobs that have a next attempt. */
function dueJobs(db: Reader | Tx, now: number, slots: FairSemaphore) {
  const { saturated } = slots
  return db
    .selectFrom('certificate_jobs')
    .select(['name', 'lease_owner', 'account_id'])
    .$if(saturated.length > 0, (jobs) => jobs.where(isOfOther(saturated)))
    .where('next_attempt_at', '<=', now)
    .where('lease_until', '<=', now)
}

async function leaseJobs(
  tx: Tx,
  jobs: readonly DueJob[],
  { owner, now }: Pick<JobClaim, 'owner' | 'now'>,
): Promise<ClaimedJob[]> {
  if (jobs.length === 0) return []
  const names = jobs.map(({ name }) => name)
  const rows = await tx
    .updateTable('certificate_jobs')
    .set({ lease_owner: owner, lease_until: now + leaseDuration })
    .where('name', 'in', names)
    .returningAll()
    .execute()
  const takenOver = new Set(jobs.filter((one) => one.lease_owner !== null).map(({ name }) => name))
  return rows.map((row) => ({ row, owner, isTakenOver: takenOver.has(row.name) }))
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
