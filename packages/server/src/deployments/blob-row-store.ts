import type { Id } from '@masthead/contract/schemas/fields.ts'
import { type Expression, type RawBuilder, type Simplify, type SqlBool, sql } from 'kysely'
import type { Reader, Tx } from '../database/database.ts'
import { TimeSlice } from '../kernel/concurrency.ts'

export interface StoredBytes {
  /** Files and manifests of the account, including those not swept yet. */
  stored: number
  /** What current uploads may still add. */
  reserved: number
  /** How many files the deployments list together. Those that several list count several times. */
  listed: number
}

export async function readStoredBytes(db: Reader, accountId: Id<'account'>): Promise<StoredBytes> {
  const files = await db
    .selectFrom('storage')
    .select('bytes')
    .where('account_id', '=', accountId)
    .executeTakeFirst()
  const lists = await db
    .selectFrom('deployments')
    .select(({ ref }) => [
      total(ref('manifest_bytes')).as('bytes'),
      total(sql<number>`case when state = 'uploading' then reserved_bytes else 0 end`).as('reserved'),
      total(ref('files')).as('listed'),
    ])
    .where('account_id', '=', accountId)
    .executeTakeFirstOrThrow()
  const discarded = await db
    .selectFrom('discarded_manifests')
    .select(({ ref }) => total(ref('bytes')).as('bytes'))
    .where('account_id', '=', accountId)
    .executeTakeFirstOrThrow()
  return {
    stored: (files?.bytes ?? 0) + lists.bytes + discarded.bytes,
    reserved: lists.reserved,
    listed: lists.listed,
  }
}

/** Takes a while: an account may have millions. */
export async function countStoredFiles(db: Reader, accountId: Id<'account'>): Promise<number> {
  const { count } = await db
    .selectFrom('blobs')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('account_id', '=', accountId)
    .executeTakeFirstOrThrow()
  return Number(count)
}

/** PostgreSQL's sum has another type, and is null without rows. */
function total(of: Expression<number>) {
  return sql<Simplify<number>>`cast(coalesce(sum(${of}), 0) as bigint)`
}

/** Like everything that changes stored bytes, needs the account's uploads lock. */
export async function addStored(tx: Tx, accountId: Id<'account'>, bytes: number): Promise<void> {
  if (bytes === 0) return
  await tx
    .insertInto('storage')
    .values({ account_id: accountId, bytes })
    .onConflict((conflict) =>
      conflict.column('account_id').doUpdateSet((e) => ({ bytes: e('storage.bytes', '+', bytes) })),
    )
    .execute()
}

export async function setReserved(tx: Tx, id: Id<'deployment'>, bytes: number): Promise<void> {
  await tx.updateTable('deployments').set({ reserved_bytes: bytes }).where('id', '=', id).execute()
}

/** Turns reserved bytes into stored ones. */
export async function useReserved(tx: Tx, id: Id<'deployment'>, bytes: number): Promise<void> {
  if (bytes === 0) return
  await tx
    .updateTable('deployments')
    .set({
      reserved_bytes: sql<number>`case when reserved_bytes > ${bytes} then reserved_bytes - ${bytes} else 0 end`,
    })
    .where('id', '=', id)
    .execute()
}

/**
 * The claim of a lost file, as if its removal had begun long ago: an upload stores it again, and the sweep leaves it
 * alone as long as a deployment lists it. It counts as no stored bytes.
 */
export const lostMark = 0

export interface BlobRow {
  sha256: string
  size: number
  encoded: string | null
  encoded_best: number
}

/** How many rows one query is about. It blocks the process for a few milliseconds. */
const batchSize = 1_000

/**
 * The keys of a JSON object, in the dialects of both databases. A list of parameters would have to be built and
 * compiled for every query.
 */
function keysOf(digests: readonly string[]) {
  return sql<string>`(select key from json_each(${emptyMembers(digests)}))`
}

/** Writes a list and inserts the values: three times faster than member by member. A quote within a name is escaped. */
function emptyMembers(names: readonly string[]): string {
  if (names.length === 0) return '{}'
  return `{${JSON.stringify(names).slice(1, -1).replaceAll('","', '":0,"')}:0}`
}

/** Several times faster than an object with thousands of members. */
function jsonObject(members: readonly (readonly [name: string, value: number])[]): string {
  return `{${members.map(([name, value]) => `${JSON.stringify(name)}:${value}`).join()}}`
}

/** The members of a JSON object as rows: a digest and a size. */
function membersOf(sizes: readonly (readonly [sha256: string, size: number])[]) {
  return sql`select key, cast(cast(value as text) as bigint) from json_each(${jsonObject(sizes)})`
}

/** The blobs that the account has, without those claimed for removal: their files may be gone. */
export async function findBlobs(
  db: Reader,
  accountId: Id<'account'>,
  digests: readonly string[],
): Promise<BlobRow[]> {
  const found: BlobRow[] = []
  const slice = new TimeSlice()
  for (const some of chunks(digests, batchSize)) {
    await slice.pause()
    const rows = await db
      .selectFrom('blobs')
      .select(['sha256', 'size', 'encoded', 'encoded_best'])
      .where('account_id', '=', accountId)
      .where('sha256', 'in', keysOf(some))
      .where('doomed_at', 'is', null)
      .execute()
    found.push(...rows)
  }
  return found
}

/** How many of these `findBlobs` would find. */
export function countBlobs(
  db: Reader,
  accountId: Id<'account'>,
  digests: readonly string[],
): Promise<number> {
  return countMatching(db, accountId, digests, (some) => sql<SqlBool>`sha256 in ${keysOf(some)}`)
}

/** How many of these `findBlobs` would find with the same size. */
export function countBlobsOfSize(
  db: Reader,
  accountId: Id<'account'>,
  sizes: ReadonlyMap<string, number>,
): Promise<number> {
  return countMatching(
    db,
    accountId,
    [...sizes],
    (some) => sql<SqlBool>`(sha256, size) in (${membersOf(some)})`,
  )
}

async function countMatching<T>(
  db: Reader,
  accountId: Id<'account'>,
  all: readonly T[],
  matches: (some: readonly T[]) => RawBuilder<SqlBool>,
): Promise<number> {
  let count = 0
  const slice = new TimeSlice()
  for (const some of chunks(all, batchSize)) {
    await slice.pause()
    const { found } = await db
      .selectFrom('blobs')
      .select(({ fn }) => fn.countAll<number>().as('found'))
      .where('account_id', '=', accountId)
      .where(matches(some))
      .where('doomed_at', 'is', null)
      .executeTakeFirstOrThrow()
    count += Number(found)
  }
  return count
}

/**
 * Records blobs whose files are in their final location. Needs the account's uploads lock. A blob claimed for removal
 * is restored, but its compressed forms may be gone. Returns how many bytes are new to the account.
 */
export async function upsertBlobs(
  tx: Tx,
  accountId: Id<'account'>,
  blobs: readonly { sha256: string; size: number }[],
): Promise<number> {
  let added = 0
  const distinct = new Map(blobs.map(({ sha256, size }) => [sha256, size]))
  for (const some of chunks([...distinct], batchSize)) {
    for (const [, size] of some) added += size
    added -= await recordedBytes(tx, accountId, some)
    // `where true` tells SQLite that `on conflict` does not belong to the select.
    await sql`
      insert into blobs (account_id, sha256, size)
      select ${sql.val(accountId)}, key, cast(cast(value as text) as bigint) from json_each(${jsonObject(some)}) where true
      on conflict (account_id, sha256) do update set
        doomed_at = null,
        size = excluded.size,
        encoded = case when blobs.doomed_at is null then blobs.encoded end,
        encoded_best = case when blobs.doomed_at is null then blobs.encoded_best else 0 end
    `.execute(tx)
  }
  await addStored(tx, accountId, added)
  return added
}

/** The bytes of those that have a row, claimed for removal or not, except for lost ones. */
async function recordedBytes(
  tx: Tx,
  accountId: Id<'account'>,
  blobs: readonly [sha256: string, size: number][],
): Promise<number> {
  const { bytes } = await tx
    .selectFrom('blobs')
    .select(({ ref }) => total(ref('size')).as('bytes'))
    .where('account_id', '=', accountId)
    .where('sha256', 'in', keysOf(blobs.map(([sha256]) => sha256)))
    .where((e) => e.or([e('doomed_at', 'is', null), e('doomed_at', '!=', lostMark)]))
    .executeTakeFirstOrThrow()
  return bytes
}

export async function setEncoded(
  tx: Tx,
  accountId: Id<'account'>,
  { sha256, encoded, encoded_best }: Pick<BlobRow, 'sha256' | 'encoded' | 'encoded_best'>,
): Promise<void> {
  await tx
    .updateTable('blobs')
    .set({ encoded, encoded_best })
    .where('account_id', '=', accountId)
    .where('sha256', '=', sha256)
    .execute()
}

/** The digests of all rows of the account, in batches: it may have millions. */
export async function* blobDigests(db: Reader, accountId: Id<'account'>): AsyncGenerator<string[], void> {
  const slice = new TimeSlice()
  const batches = db
    .selectFrom('blobs')
    .select('sha256')
    .where('account_id', '=', accountId)
    .orderBy('sha256')
    .limit(batchSize)
  for (let after: string | undefined = ''; after !== undefined; await slice.pause()) {
    const rows: { sha256: string }[] = await batches.where('sha256', '>', after).execute()
    yield rows.map(({ sha256 }) => sha256)
    after = rows[batchSize - 1]?.sha256
  }
}

/**
 * Claims blobs whose files are about to be removed, and returns which: not those claimed since. A file without a row,
 * left by an interrupted upload, gets one. Needs the account's uploads lock.
 */
export async function claimForRemoval(
  tx: Tx,
  accountId: Id<'account'>,
  digests: readonly string[],
  { at, unclaimedSince }: { at: number; unclaimedSince: number },
): Promise<string[]> {
  const claimed: string[] = []
  for (const some of chunks(digests, batchSize)) {
    const { rows } = await sql<{ sha256: string }>`
      insert into blobs (account_id, sha256, size, doomed_at)
      select ${sql.val(accountId)}, key, 0, cast(${at} as bigint) from json_each(${emptyMembers(some)}) where true
      on conflict (account_id, sha256) do update set doomed_at = excluded.doomed_at,
        size = case when blobs.doomed_at = ${sql.lit(lostMark)} then 0 else blobs.size end
        where blobs.doomed_at is null or blobs.doomed_at <= ${unclaimedSince}
      returning sha256
    `.execute(tx)
    claimed.push(...rows.map(({ sha256 }) => sha256))
  }
  return claimed
}

/** When one of these was last claimed. */
export async function latestClaim(
  db: Reader,
  accountId: Id<'account'>,
  digests: readonly string[],
): Promise<number | null> {
  let latest: number | null = null
  for (const some of chunks(digests, batchSize)) {
    const { at } = await db
      .selectFrom('blobs')
      .select(({ fn }) => fn.max('doomed_at').as('at'))
      .where('account_id', '=', accountId)
      .where('sha256', 'in', keysOf(some))
      .executeTakeFirstOrThrow()
    if (at !== null) latest = Math.max(latest ?? 0, Number(at))
  }
  return latest
}

/** Deletes the rows of a claim, except those that were restored or claimed again. Needs the account's uploads lock. */
export async function deleteClaimed(
  tx: Tx,
  accountId: Id<'account'>,
  digests: readonly string[],
  at: number,
): Promise<void> {
  let removed = 0
  for (const some of chunks(digests, batchSize)) {
    const query = tx
      .deleteFrom('blobs')
      .where('account_id', '=', accountId)
      .where('sha256', 'in', keysOf(some))
      .where('doomed_at', '=', at)
    for (const { size } of await query.returning('size').execute()) removed += size
  }
  await addStored(tx, accountId, -removed)
}

function* chunks<T>(all: readonly T[], size: number): Generator<T[]> {
  for (let start = 0; start < all.length; start += size) yield all.slice(start, start + size)
}
