import { type Kysely, sql } from 'kysely'
import { day, minute, second } from '../../kernel/clock.ts'
import type { Dialect, Schema } from '../schema.ts'

/** How often a process says that it runs. */
export const announceEvery = 20 * second
/** A process that has said nothing for this long has ended. If it was only paused, it stops when it wakes up. */
const assumedDeadAfter = minute

export interface RunningVersion {
  id: string
  /** The newest migration it knows. */
  newest: string
}

/** Settings that all nodes must agree on, without secrets. */
export interface NodeSettings {
  host: string
  pid: number
  /** The ids of the keys in MASTHEAD_MASTER_KEY, or the file that has them. */
  masterKey: { ids: string[] } | { file: string }
  platformDomain: string
}

/** By the database's clock, because those of nodes differ. */
function databaseTime(dialect: Dialect) {
  return dialect === 'postgres'
    ? sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`
    : sql<number>`cast(unixepoch('subsec') * 1000 as integer)`
}

export async function announceVersion(
  db: Kysely<Schema>,
  dialect: Dialect,
  { id, newest }: RunningVersion,
): Promise<void> {
  const now = databaseTime(dialect)
  await sql`insert into live_versions (id, newest_migration, seen_at) values (${id}, ${newest}, ${now})
    on conflict (id) do update set seen_at = excluded.seen_at`.execute(db)
  await sql`delete from live_versions where seen_at < ${now} - ${sql.lit(day)}`.execute(db)
}

export async function retractVersion(db: Kysely<Schema>, id: string): Promise<void> {
  await sql`delete from live_versions where id = ${id}`.execute(db)
}

/** The newest migration that each other running process knows. */
export async function otherRunningVersions(
  db: Kysely<Schema>,
  dialect: Dialect,
  self: string,
): Promise<string[]> {
  const { rows } = await sql<{ newest: string }>`
    select distinct newest_migration as newest from live_versions
    where id <> ${self} and seen_at > ${databaseTime(dialect)} - ${sql.lit(assumedDeadAfter)}`.execute(db)
  return rows.map(({ newest }) => newest)
}

export async function countRunningProcesses(db: Kysely<Schema>, dialect: Dialect): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from live_versions
    where seen_at > ${databaseTime(dialect)} - ${sql.lit(assumedDeadAfter)}`.execute(db)
  return Number(rows[0]?.count ?? 0)
}

export async function announceSettings(
  db: Kysely<Schema>,
  id: string,
  settings: NodeSettings,
): Promise<void> {
  await sql`update live_versions set settings = ${JSON.stringify(settings)} where id = ${id}`.execute(db)
}

/** Of every running server. Commands and older versions do not say. */
export async function runningNodes(db: Kysely<Schema>, dialect: Dialect): Promise<NodeSettings[]> {
  const { rows } = await sql<{ settings: string }>`
    select settings from live_versions
    where settings is not null and seen_at > ${databaseTime(dialect)} - ${sql.lit(assumedDeadAfter)}
    order by id`.execute(db)
  return rows.map(({ settings }) => JSON.parse(settings) as NodeSettings)
}
