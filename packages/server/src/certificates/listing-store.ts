import { sql } from 'kysely'
import type { Reader } from '../database/database.ts'

/** Sorts the list: failing names, then names waiting for their first certificate, then the rest by expiry. */
export interface ListPosition {
  part: ListSection
  /** Expiry of the certificate; 0 if there is none. */
  notAfter: number
  name: string
}

export const listSections = { failing: 0, waiting: 1, held: 2 } as const
export type ListSection = (typeof listSections)[keyof typeof listSections]

/**
 * Jobs that one query reads. Finished jobs are deleted, so there are few, unless a CA fails: then there may be one for
 * each certificate.
 */
const usualSlice = 2_000

interface TroubledNames {
  after: ListPosition | null
  failingOnly: boolean
  limit: number
}

/** Names with a failed attempt or without a certificate. Nothing else waits until all jobs were read. */
export async function troubledNamesAfter(
  db: Reader,
  { limit, ...which }: TroubledNames,
  sliceSize = usualSlice,
): Promise<ListPosition[]> {
  let first: ListPosition[] = []
  for (let from = ''; ; ) {
    const next = await endOfSlice(db, from, sliceSize)
    const found = await troubledNamesBetween(db, { ...which, limit, from, next })
    if (found.length > 0) first = [...first, ...found].sort(byPosition).slice(0, limit)
    if (next === null) return first
    from = next
  }
}

function byPosition(one: ListPosition, other: ListPosition): number {
  return one.part - other.part || one.notAfter - other.notAfter || (one.name < other.name ? -1 : 1)
}

/** The name after the slice; null if it is the last one. */
async function endOfSlice(db: Reader, from: string, size: number): Promise<string | null> {
  const row = await db
    .selectFrom('certificate_jobs')
    .select('name')
    .where('name', '>=', from)
    .orderBy('name')
    .offset(size)
    .limit(1)
    .executeTakeFirst()
  return row?.name ?? null
}

async function troubledNamesBetween(
  db: Reader,
  { after, failingOnly, limit, from, next }: TroubledNames & { from: string; next: string | null },
): Promise<ListPosition[]> {
  const part = sql<ListSection>`case when job.last_error is null then ${sql.lit(listSections.waiting)} else ${sql.lit(listSections.failing)} end`
  const notAfter = sql<number>`coalesce(certificate.not_after, 0)`
  let query = db
    .selectFrom('certificate_jobs as job')
    .leftJoin('certificates as certificate', 'certificate.name', 'job.name')
    .select(['job.name', part.as('part'), notAfter.as('notAfter')])
    .where((e) =>
      failingOnly
        ? e('job.last_error', 'is not', null)
        : e.or([e('job.last_error', 'is not', null), e('certificate.name', 'is', null)]),
    )
    .where('job.name', '>=', from)
    .orderBy(part)
    .orderBy(notAfter)
    .orderBy('job.name')
    .limit(limit)
  if (next !== null) query = query.where('job.name', '<', next)
  if (after !== null) {
    query = query.where(
      sql<boolean>`(${part}, ${notAfter}, job.name) > (${after.part}, ${after.notAfter}, ${after.name})`,
    )
  }
  return query.execute()
}

/** All other certificates, in index order. */
export async function heldNamesAfter(
  db: Reader,
  { after, limit }: { after: ListPosition | null; limit: number },
): Promise<ListPosition[]> {
  let query = db
    .selectFrom('certificates as certificate')
    .leftJoin('certificate_jobs as job', 'job.name', 'certificate.name')
    .select(['certificate.name', 'certificate.not_after as notAfter'])
    .where('job.last_error', 'is', null)
    .orderBy('certificate.not_after')
    .orderBy('certificate.name')
    .limit(limit)
  if (after !== null) {
    const { notAfter, name } = after
    query = query.where((e) =>
      e(e.refTuple('certificate.not_after', 'certificate.name'), '>', e.tuple(notAfter, name)),
    )
  }
  return (await query.execute()).map((row) => ({ part: listSections.held, ...row }))
}

export async function countExpiringBefore(db: Reader, time: number): Promise<number> {
  const { certificates } = await db
    .selectFrom('certificates')
    .select((e) => e.fn.countAll<number>().as('certificates'))
    .where('not_after', '<', time)
    // Only their owners can replace these.
    .where('issuer_kind', '!=', 'own')
    .executeTakeFirstOrThrow()
  return certificates
}
