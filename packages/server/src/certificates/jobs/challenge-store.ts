import type { Selectable } from 'kysely'
import type { Reader, Tx } from '../../database/database.ts'
import type { Schema } from '../../database/schema.ts'

export type ChallengeRow = Selectable<Schema['acme_challenges']>

export async function putChallenges(tx: Tx, rows: readonly ChallengeRow[]): Promise<void> {
  for (const { token, ...content } of rows) {
    await tx
      .insertInto('acme_challenges')
      .values({ token, ...content })
      .onConflict((conflict) => conflict.column('token').doUpdateSet(content))
      .execute()
  }
}

export async function findChallengeByToken(
  db: Reader,
  token: string,
  now: number,
): Promise<ChallengeRow | undefined> {
  return db
    .selectFrom('acme_challenges')
    .selectAll()
    .where('token', '=', token)
    .where('expires_at', '>', now)
    .executeTakeFirst()
}

/** The latest one, because an abandoned order may have left another. */
export async function findChallengeByName(
  db: Reader,
  name: string,
  now: number,
): Promise<ChallengeRow | undefined> {
  return db
    .selectFrom('acme_challenges')
    .selectAll()
    .where('name', '=', name)
    .where('kind', '=', 'tls-alpn-01')
    .where('expires_at', '>', now)
    .orderBy('expires_at', 'desc')
    .limit(1)
    .executeTakeFirst()
}

/** More than can be under way at once; abandoned orders leave some for a day. */
const mostLabelled = 20_000

export async function findLabelledChallenges(
  db: Reader,
  now: number,
): Promise<{ label: string; keyAuthorization: string }[]> {
  const rows = await db
    .selectFrom('acme_challenges')
    .select(['label', 'key_authorization as keyAuthorization'])
    .where('label', 'is not', null)
    .where('expires_at', '>', now)
    .orderBy('expires_at', 'desc')
    .limit(mostLabelled)
    .execute()
  return rows.flatMap(({ label, keyAuthorization }) => (label === null ? [] : [{ label, keyAuthorization }]))
}

export async function deleteChallenges(tx: Tx, name: string): Promise<void> {
  await tx.deleteFrom('acme_challenges').where('name', '=', name).execute()
}
