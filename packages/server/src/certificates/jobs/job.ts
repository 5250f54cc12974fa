import type { Selectable } from 'kysely'
import type { Schema } from '../../database/schema.ts'

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
