import { once } from 'node:events'
import { Worker } from 'node:worker_threads'

export interface FloodOptions {
  port: number
  /** The Host of the API. */
  host: string
  /** All of it comes from this one address of the loopback. */
  from: string
  /** Concurrent connections of each kind. */
  connections: number
}

/** Answers by status, and connections that ended without one. */
export type FloodCounts = Record<string, number>

export interface RunningFlood extends AsyncDisposable {
  /** What has become of its requests so far. One call at a time. */
  counts(): Promise<FloodCounts>
  /** Ends it and tells what became of its requests. */
  stop(): Promise<FloodCounts>
}

/**
 * Asks the API without a key, as fast as it can, from a thread of its own: with 8 MiB of JSON, with as many unknown
 * fields as a route takes, and on connections that never read their answers.
 */
export async function startApiFlood(options: FloodOptions): Promise<RunningFlood> {
  const worker = new Worker(new URL('./api-flood-worker.ts', import.meta.url), { workerData: options })
  await once(worker, 'online')
  let last: FloodCounts | null = null

  async function ask(what: 'tell' | 'stop'): Promise<FloodCounts> {
    worker.postMessage(what)
    const [told] = (await once(worker, 'message')) as [FloodCounts]
    return told
  }

  async function stop(): Promise<FloodCounts> {
    if (last !== null) return last
    last = await ask('stop')
    await worker.terminate()
    return last
  }

  return {
    counts: () => ask('tell'),
    stop,
    async [Symbol.asyncDispose]() {
      await stop()
    },
  }
}
