import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { forgetOldRequests } from './api/idempotency.ts'
import { hour, minute, second } from './clock.ts'
import { encodeNextDeployment } from './deployments/encode-deployment.ts'
import { sweep } from './deployments/sweep.ts'
import type { DomainContext } from './domains/context.ts'
import { forgetTimeline } from './domains/forget-timeline.ts'
import { forgetTombstones } from './domains/forget-tombstones.ts'
import { reconcileDue } from './domains/lifecycle.ts'

interface Chore {
  name: string
  /** Tells whether there may be more to do at once. */
  run: () => Promise<boolean>
  every: number
}

export interface Worker {
  /** Resolves when what is running has come to its end. */
  stop(): Promise<void>
}

/** What is done beside answering requests. Each chore starts from stored state, so it can end anywhere. */
export function startWorker(
  context: DomainContext,
  log: { error(details: object, message: string): void },
): Worker {
  const stopping = new AbortController()
  const reconciling = { owner: randomUUID(), log, stopping: stopping.signal }
  const chores: Chore[] = [
    {
      name: 'move domains on',
      run: () => reconcileDue(context, reconciling).then(() => false),
      every: second,
    },
    { name: 'compress files', run: () => encodeNextDeployment(context, stopping.signal), every: second },
    { name: 'remove unused files', run: () => sweep(context).then(() => false), every: minute },
    { name: 'forget old timelines', run: () => forgetTimeline(context), every: hour },
    { name: 'forget old tombstones', run: () => forgetTombstones(context), every: hour },
    { name: 'forget old requests', run: () => forgetOldRequests(context).then(() => false), every: hour },
  ]

  async function keepDoing({ name, run, every }: Chore): Promise<void> {
    while (!stopping.signal.aborted) {
      const more = await run().catch((error: unknown) => {
        log.error({ err: error, chore: name }, 'a chore failed and will be tried again')
        return false
      })
      if (!more) await sleep(every, undefined, { signal: stopping.signal, ref: false }).catch(() => {})
    }
  }

  const running = chores.map(keepDoing)
  return {
    async stop() {
      stopping.abort()
      await Promise.all(running)
    },
  }
}
