import type { Database } from './database.ts'

const counted = ['accounts', 'projects', 'deployments', 'certificates'] as const

/** How much there is of what is counted as a whole. */
export function countRows({
  read,
}: Pick<Database, 'read'>): Promise<Record<(typeof counted)[number], number>> {
  return read
    .selectNoFrom((e) =>
      counted.map((table) => e.selectFrom(table).select(e.fn.countAll<number>().as('count')).as(table)),
    )
    .$castTo<Record<(typeof counted)[number], number>>()
    .executeTakeFirstOrThrow()
}
