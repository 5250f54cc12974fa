import { sql } from 'kysely'
import type { Reader } from '../../database/database.ts'
import { isFailureKind } from '../jobs/backoff.ts'
import type { FailureKind } from '../jobs/failure.ts'
import type { JobRow } from '../jobs/job.ts'

export interface FailingCount {
  kind: FailureKind
  reason: JobRow['reason']
  names: number
  /** Those of them whose attempts failed more than once. */
  repeated: number
}

/** Read from an index alone, without kinds that this version does not know. */
export async function countFailing(db: Reader): Promise<FailingCount[]> {
  const rows = await db
    .selectFrom('certificate_jobs')
    .select(['problem_kind', 'reason'])
    .select((e) => e.fn.countAll<number>().as('names'))
    .select(sql<number>`sum(case when attempts > 1 then 1 else 0 end)`.as('repeated'))
    .where('problem_kind', 'is not', null)
    .groupBy(['problem_kind', 'reason'])
    .execute()
  return rows.flatMap(({ problem_kind: kind, reason, names, repeated }) =>
    isFailureKind(kind) ? [{ kind, reason, names: Number(names), repeated: Number(repeated) }] : [],
  )
}

/** One name that fails like this. */
export async function findFailing(
  db: Reader,
  { kind, reason }: Pick<FailingCount, 'kind' | 'reason'>,
): Promise<JobRow | undefined> {
  return db
    .selectFrom('certificate_jobs')
    .selectAll()
    .where('problem_kind', '=', kind)
    .where('reason', '=', reason)
    .orderBy('attempts', 'desc')
    .limit(1)
    .executeTakeFirst()
}

/** The failing ones of the certificates that expire first, soonest first. Looks at no more than `most`. */
export async function firstFailingExpiries(
  db: Reader,
  { since, most }: { since: number; most: number },
): Promise<{ kind: FailureKind; notAfter: number }[]> {
  const soonest = db
    .selectFrom('certificates')
    .select(['name', 'not_after'])
    .where('not_after', '>', since)
    .orderBy('not_after')
    .limit(most)
  const rows = await db
    .selectFrom(soonest.as('certificate'))
    .innerJoin('certificate_jobs as job', 'job.name', 'certificate.name')
    .select(['job.problem_kind', 'certificate.not_after'])
    .where('job.problem_kind', 'is not', null)
    .orderBy('certificate.not_after')
    .execute()
  return rows.flatMap(({ problem_kind: kind, not_after: notAfter }) =>
    isFailureKind(kind) ? [{ kind, notAfter }] : [],
  )
}
