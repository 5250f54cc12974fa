import type { StagedBlob } from '../../blobs/blob-store.ts'
import { lock, type Tx } from '../../database/database.ts'
import { forEachConcurrently } from '../../kernel/concurrency.ts'
import { Problem } from '../../kernel/problem.ts'
import { uploadsLock } from '../begin-deployment.ts'
import { upsertBlobs, useReserved } from '../blob-row-store.ts'
import type { DeploymentContext } from '../deployment.ts'
import { type DeploymentRow, findDeployment } from '../store.ts'

/** Files sent at the same time for one upload. */
const maxConcurrent = 16

/** Call this before the transaction, or it would wait for the network. The sweep leaves a deployment's files alone. */
export function sendBlobs(staged: readonly StagedBlob[], accountId: string): Promise<void> {
  return forEachConcurrently(staged, maxConcurrent, (blob) => blob.send({ accountId }))
}

/**
 * Commits staged files and records them, as long as their deployment is being uploaded. Holds the lock that the sweep
 * takes before removing files, so every recorded file exists.
 */
export async function commitBlobsIn(
  { database, blobs }: Pick<DeploymentContext, 'database' | 'blobs'>,
  tx: Tx,
  { id, account_id: accountId }: Pick<DeploymentRow, 'id' | 'account_id'>,
  staged: readonly StagedBlob[],
): Promise<void> {
  await lock(database, tx, uploadsLock(accountId))
  const current = await findDeployment(tx, id)
  if (current === undefined) throw uploadAbandoned(id)
  if (current.state !== 'uploading') throw alreadyFinalized(current)
  await blobs.commitAll(staged, accountId)
  await useReserved(tx, id, await upsertBlobs(tx, accountId, staged))
}

export function uploadAbandoned(id: string): Problem {
  return new Problem('not_found', `The upload of ${id} was cancelled. Start a new deployment.`)
}

export function alreadyFinalized({ id, state }: Pick<DeploymentRow, 'id' | 'state'>): Problem {
  return new Problem('deployment_finalized', `The deployment ${id} is already ${state}.`)
}

type Uploading = Pick<DeploymentRow, 'id' | 'account_id'>

/** Commits a staged file of a deployment that is being uploaded. Resolves when that is durable. */
export type CommitBlob = (deployment: Uploading, staged: StagedBlob) => Promise<void>

interface Waiting {
  deployment: Uploading
  staged: StagedBlob
  settled: PromiseWithResolvers<void>
}

/**
 * Thousands of files arrive, and each commit waits for the disk, so we batch everything that arrives during one commit
 * into the next.
 */
export function createBlobCommitter(context: Pick<DeploymentContext, 'database' | 'blobs'>): CommitBlob {
  let waiting: Waiting[] = []
  let running = false

  async function run(): Promise<void> {
    running = true
    while (waiting.length > 0) {
      const batch = waiting
      waiting = []
      try {
        const problems = await context.database.write((tx) => commitBatch(tx, batch))
        for (const { deployment, settled } of batch) {
          const problem = problems.get(deployment.id)
          if (problem === undefined) settled.resolve()
          else settled.reject(problem)
        }
      } catch (error) {
        for (const { settled } of batch) settled.reject(error)
      }
    }
    running = false
  }

  /** Returns why deployments no longer accept files, so that the others in the batch do not fail with them. */
  async function commitBatch(tx: Tx, batch: Waiting[]): Promise<Map<string, Problem>> {
    const problems = new Map<string, Problem>()
    for (const entries of groupByDeployment(batch)) {
      const [{ deployment }] = entries
      const files = entries.map(({ staged }) => staged)
      await commitBlobsIn(context, tx, deployment, files).catch((error: unknown) => {
        if (!(error instanceof Problem)) throw error
        problems.set(deployment.id, error)
      })
    }
    return problems
  }

  return async (deployment, staged) => {
    await sendBlobs([staged], deployment.account_id)
    const settled = Promise.withResolvers<void>()
    waiting.push({ deployment, staged, settled })
    if (!running) void run()
    return settled.promise
  }
}

/** One group per deployment, sorted by account, so that all processes take locks in the same order. */
function groupByDeployment(batch: Waiting[]): [Waiting, ...Waiting[]][] {
  const groups = [...Map.groupBy(batch, ({ deployment }) => deployment.id).values()]
  const account = ([first]: Waiting[]) => first?.deployment.account_id ?? ''
  return (groups as [Waiting, ...Waiting[]][]).sort((a, b) => (account(a) < account(b) ? -1 : 1))
}
