import { type Kysely, sql } from 'kysely'
import type { Dialect, Schema } from '../schema.ts'

const name = 'events_of_project_by_kind'
/** Nearly all events of a busy project are of deployments, which the index of the project finds. */
const index = `${name} on events (account_id, project_id, kind, id)
  where project_id is not null and kind <> 'deployment'`

/** Finds the few events of another kind among the many of a project. */
export function eventsOfProjectByKind(dialect: Dialect) {
  const create = run(`create index ${index}`)
  // An interrupted one leaves a broken index.
  const replace = run(`drop index concurrently if exists ${name}`, `create index concurrently ${index}`)
  return { outsideTransaction: true as const, up: dialect === 'postgres' ? replace : create, upInNew: create }
}

function run(...statements: readonly string[]) {
  return async (db: Kysely<Schema>): Promise<void> => {
    for (const statement of statements) await sql.raw(statement).execute(db)
  }
}
