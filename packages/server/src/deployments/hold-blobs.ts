import type { StagedBlob } from '../blobs/blob-store.ts'
import type { Database, Tx } from '../database/database.ts'
import { Problem } from '../problem.ts'
import { placeBlobsIn } from './place-blobs.ts'
import type { DeploymentRow } from './store.ts'

type Uploading = Pick<DeploymentRow, 'id' | 'account_id'>

/** Takes a staged file into the account of a deployment that is being uploaded. Resolves when that is durable. */
export type HoldBlobs = (deployment: Uploading, staged: StagedBlob) => Promise<void>

interface Waiting {
  deployment: Uploading
  staged: StagedBlob
  settled: PromiseWithResolvers<void>
}

/**
 * Files arrive by the thousand, and a commit waits for the disk. So everything that arrives during one commit
 * goes into the next one together.
 */
export function createHoldBlobs(database: Database): HoldBlobs {
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
      await placeBlobsIn(database, tx, deployment, files).catch((error: unknown) => {
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
