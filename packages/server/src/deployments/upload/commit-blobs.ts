import type { StagedBlob } from '../../blobs/blob-store.ts'
import { type Database, lock, type Tx } from '../../database/database.ts'
import { forEachConcurrently } from '../../kernel/concurrency.ts'
import { Problem } from '../../kernel/problem.ts'
import { uploadsLock } from '../begin-deployment.ts'
import { upsertBlobs, useReserved } from '../blob-row-store.ts'
import { type DeploymentRow, findDeployment } from '../store.ts'

const movesAtOnce = 8

/**
 * Moves staged files to their place and notes them, as long as their deployment is being uploaded. Both happen
 * under the lock that the sweep takes before it removes files: what is noted is there.
 */
export async function commitBlobsIn(
  database: Pick<Database, 'dialect'>,
  tx: Tx,
  { id, account_id: accountId }: Pick<DeploymentRow, 'id' | 'account_id'>,
  staged: readonly StagedBlob[],
): Promise<void> {
  await lock(database, tx, uploadsLock(accountId))
  const current = await findDeployment(tx, id)
  if (current === undefined) throw uploadAbandoned(id)
  if (current.state !== 'uploading') throw alreadyFinalized(current)
  await forEachConcurrently(staged, movesAtOnce, (blob) => blob.commit({ accountId }))
  await useReserved(tx, id, await upsertBlobs(tx, accountId, staged))
}

export function uploadAbandoned(id: string): Problem {
  return new Problem('not_found', `The upload of ${id} was given up.`)
}

export function alreadyFinalized({ id, state }: Pick<DeploymentRow, 'id' | 'state'>): Problem {
  return new Problem('deployment_finalized', `The deployment ${id} is ${state}.`)
}

type Uploading = Pick<DeploymentRow, 'id' | 'account_id'>

/** Takes a staged file into the account of a deployment that is being uploaded. Resolves when that is durable. */
export type CommitBlob = (deployment: Uploading, staged: StagedBlob) => Promise<void>

interface Waiting {
  deployment: Uploading
  staged: StagedBlob
  settled: PromiseWithResolvers<void>
}

/**
 * Files arrive by the thousand, and a commit waits for the disk. So everything that arrives during one commit
 * goes into the next one together.
 */
export function createBlobCommitter(database: Database): CommitBlob {
  let waiting: Waiting[] = []
  let running = false

  async function run(): Promise<void> {
    running = true
    while (waiting.length > 0) {
      const batch = waiting
      waiting = []
      try {
        const refusals = await database.write((tx) => placeBatch(tx, batch))
        for (const { deployment, settled } of batch) {
          const refusal = refusals.get(deployment.id)
          if (refusal === undefined) settled.resolve()
          else settled.reject(refusal)
        }
      } catch (error) {
        for (const { settled } of batch) settled.reject(error)
      }
    }
    running = false
  }

  /** Gives the reasons of the deployments that take no files any more; the others are not theirs to fail. */
  async function placeBatch(tx: Tx, batch: Waiting[]): Promise<Map<string, Problem>> {
    const refusals = new Map<string, Problem>()
    for (const entries of inOrderOfAccounts(batch)) {
      const [{ deployment }] = entries
      const files = entries.map(({ staged }) => staged)
      await commitBlobsIn(database, tx, deployment, files).catch((error: unknown) => {
        if (!(error instanceof Problem)) throw error
        refusals.set(deployment.id, error)
      })
    }
    return refusals
  }

  return (deployment, staged) => {
    const settled = Promise.withResolvers<void>()
    waiting.push({ deployment, staged, settled })
    if (!running) void run()
    return settled.promise
  }
}

/** One group a deployment. Every process takes the locks of the accounts in the same order. */
function inOrderOfAccounts(batch: Waiting[]): [Waiting, ...Waiting[]][] {
  const groups = [...Map.groupBy(batch, ({ deployment }) => deployment.id).values()]
  const account = ([first]: Waiting[]) => first?.deployment.account_id ?? ''
  return (groups as [Waiting, ...Waiting[]][]).sort((a, b) => (account(a) < account(b) ? -1 : 1))
}
