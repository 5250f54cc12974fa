import { once } from 'node:events'
import { Worker } from 'node:worker_threads'

export interface PasswordFloodOptions {
  port: number
  /** A protected site. */
  site: string
  /** How many addresses it seems to come from, by way of a trusted proxy. */
  addresses: number
  connections: number
}

export interface PasswordFlood {
  /** Ends it and tells what became of its guesses. */
  stop(): Promise<Record<string, number>>
}

/** Guesses the password of a site as fast as it can, from a thread of its own. */
export async function startPasswordFlood(options: PasswordFloodOptions): Promise<PasswordFlood> {
  const worker = new Worker(new URL('./password-guesses-worker.ts', import.meta.url), { workerData: options })
  await once(worker, 'message')
  return {
    async stop() {
      worker.postMessage('stop')
      const [counts] = (await once(worker, 'message')) as [Record<string, number>]
      await worker.terminate()
      return counts
    },
  }
}
