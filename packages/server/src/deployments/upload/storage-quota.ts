import { type PlanName, plans } from '@masthead/contract/plans.ts'
import type { Id } from '@masthead/contract/schemas/fields.ts'
import type { Usage } from '@masthead/contract/schemas/usage.ts'
import { formatBytes } from '@masthead/contract/text/byte-size.ts'
import { storageLimitOf } from '../../accounts/read.ts'
import { lock, type Reader, type Tx } from '../../database/database.ts'
import { Problem } from '../../kernel/problem.ts'
import { uploadsLock } from '../begin-deployment.ts'
import { countStoredFiles, readStoredBytes, setReserved } from '../blob-row-store.ts'
import type { DeploymentContext } from '../deployment.ts'
import { type DeploymentRow, findDeployment } from '../store.ts'
import { uploadAbandoned } from './commit-blobs.ts'

interface StorageUse {
  plan: PlanName
  limit: number
  /** Includes current uploads. */
  used: number
  /** No fewer than are stored. */
  listedFiles: number
}

async function readUse(db: Reader, accountId: Id<'account'>): Promise<StorageUse> {
  const { stored, reserved, listed } = await readStoredBytes(db, accountId)
  return { ...(await storageLimitOf(db, accountId)), used: stored + reserved, listedFiles: listed }
}

export async function describeStorage(db: Reader, accountId: Id<'account'>): Promise<Usage['storage']> {
  const { limit, used } = await readUse(db, accountId)
  return { limit, used, remaining: Math.max(0, limit - used) }
}

/** Throws the Problem `storage_full` unless there is room for `bytes` more. Needs the account's uploads lock. */
export async function refuseBeyondQuota(tx: Tx, accountId: Id<'account'>, bytes: number): Promise<void> {
  const use = await readUse(tx, accountId)
  if (use.used + bytes > use.limit) throw storageFull(use, bytes)
  await refuseManyFiles(tx, accountId, use)
}

/** Small files take more of a disk than their bytes, and a disk has room for only so many. */
const bytesPerFile = 4_000
/** However little storage the account has. */
const fewestFiles = 20_000

/** An upload may exceed the limit, the next one is refused: how many new files it has is only known as it arrives. */
async function refuseManyFiles(tx: Tx, accountId: Id<'account'>, use: StorageUse): Promise<void> {
  const most = Math.max(fewestFiles, Math.floor(use.limit / bytesPerFile))
  if (use.listedFiles < most) return
  const count = await countStoredFiles(tx, accountId)
  if (count < most) return
  const detail = `This account stores ${formatCount(count)} different files, and ${formatCount(most)} are allowed (${plans[use.plan].title}).`
  throw storageFull(use, 0, detail)
}

const formatCount = (count: number) => count.toLocaleString('en')

/** Reserve more than needed, because each reservation takes a commit; less if space is short. */
const reservedAhead = 32 * 1024 ** 2
const shareAhead = 1 / 8

/** Reserves space for a deployment whose size is only known as it arrives. */
export class StorageReservation {
  readonly #database: DeploymentContext['database']
  readonly #deployment: Pick<DeploymentRow, 'id' | 'account_id'>
  #granted = 0
  #taken = 0

  constructor(
    { database }: Pick<DeploymentContext, 'database'>,
    deployment: Pick<DeploymentRow, 'id' | 'account_id'>,
  ) {
    this.#database = database
    this.#deployment = deployment
  }

  /** Call before writing. Throws the Problem `storage_full` if there is no room. */
  async take(bytes: number): Promise<void> {
    if (this.#taken + bytes > this.#granted) await this.#grow(this.#taken + bytes)
    this.#taken += bytes
  }

  /** For bytes that were not stored after all. */
  release(bytes: number): void {
    this.#taken -= bytes
  }

  async #grow(needed: number): Promise<void> {
    const ahead = (room: number) => Math.min(reservedAhead, Math.floor(room * shareAhead))
    this.#granted = await reserve(this.#database, this.#deployment, needed, ahead)
  }
}

/** Reserves space for a deployment whose size is known. Throws the Problem `storage_full` if there is no room. */
export async function reserveStorage(
  { database }: Pick<DeploymentContext, 'database'>,
  deployment: Pick<DeploymentRow, 'id' | 'account_id'>,
  bytes: number,
): Promise<void> {
  await reserve(database, deployment, bytes, () => 0)
}

/** Returns how much is reserved for the deployment now: `ahead` adds to what is needed if there is room left. */
async function reserve(
  database: DeploymentContext['database'],
  { id, account_id: accountId }: Pick<DeploymentRow, 'id' | 'account_id'>,
  needed: number,
  ahead: (room: number) => number,
): Promise<number> {
  return database.write(async (tx) => {
    await lock(database, tx, uploadsLock(accountId))
    const deployment = await findDeployment(tx, id)
    // It would store files without a reservation.
    if (deployment === undefined) throw uploadAbandoned(id)
    const use = await readUse(tx, accountId)
    const already = deployment.reserved_bytes
    const room = use.limit - use.used + already
    if (needed > room) throw storageFull(use, needed - already)
    await refuseManyFiles(tx, accountId, use)
    const granted = needed + ahead(room - needed)
    await setReserved(tx, id, granted)
    return granted
  })
}

function storageFull({ plan, limit, used }: StorageUse, needed: number, why?: string): Problem {
  const usage = `${formatBytes(used)} of ${formatBytes(limit)} (${plans[plan].title})`
  const detail = why ?? `This account stores ${usage}, and this upload needs ${formatBytes(needed)} more.`
  return new Problem('storage_full', detail, {
    extra: { usedBytes: used, limitBytes: limit, neededBytes: needed },
  })
}
