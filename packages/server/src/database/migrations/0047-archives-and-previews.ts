import { type Kysely, sql } from 'kysely'
import type { Dialect, Schema } from '../schema.ts'

/**
 * What archives rely on while they arrive, so that other files can be swept, and the branch that a pipeline's previews
 * can be labelled with. Keys of older versions have none, and last ten minutes.
 */
export function archivesAndPreviews(dialect: Dialect) {
  const id = dialect === 'postgres' ? 'text collate "C"' : 'text'
  const statements = [
    `create table archive_files (
       deployment_id ${id} not null, part integer not null, account_id ${id} not null, digests text not null,
       primary key (deployment_id, part))`,
    `create index archive_files_by_account on archive_files (account_id)`,
    'alter table keys add column preview_branch text',
  ]
  return {
    async up(db: Kysely<Schema>): Promise<void> {
      for (const statement of statements) await sql.raw(statement).execute(db)
    },
  }
}
