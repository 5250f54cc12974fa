import { type Database, lock, type Tx } from '../database/database.ts'

/**
 * Makes those who decide over a name wait for each other. The locks of a plan and of projects come before those of
 * names, the change feed's comes after.
 */
export function lockHostname(database: Pick<Database, 'dialect'>, tx: Tx, hostname: string): Promise<void> {
  return lock(database, tx, `hostname:${hostname}`)
}

/** One by one in the order of the names, so that two who need several never wait for each other in a circle. */
export async function lockHostnames(
  database: Pick<Database, 'dialect'>,
  tx: Tx,
  hostnames: readonly string[],
): Promise<void> {
  for (const hostname of hostnames.toSorted()) await lockHostname(database, tx, hostname)
}
