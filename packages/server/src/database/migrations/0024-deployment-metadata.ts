import { type Kysely, sql } from 'kysely'
import type { Schema } from '../schema.ts'

/** What a deployment was built from, and the addresses of branches. The index finds the newest one at an address. */
export function deploymentMetadata() {
  return {
    async up(db: Kysely<Schema>): Promise<void> {
      for (const statement of [
        `alter table deployments add column meta text`,
        `alter table deployments add column branch text`,
        `alter table deployments add column branch_label text`,
        `create index deployments_by_branch on deployments (project_id, branch_label, id) where branch_label is not null`,
        `alter table projects add column production_branch text not null default 'main'`,
      ]) {
        await sql.raw(statement).execute(db)
      }
    },
  }
}
