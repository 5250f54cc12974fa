import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Concurrent calls with the same key share one run, with the other arguments of the first call. Once it ends, the next
 * call runs again, whatever the outcome.
 */
export function singleFlight<Key, Value, Rest extends unknown[] = []>(
  work: (key: Key, ...rest: Rest) => Promise<Value>,
): (key: Key, ...rest: Rest) => Promise<Value> {
  const running = new Map<Key, Promise<Value>>()
  return (key, ...rest) => {
    const shared = running.get(key)
    if (shared !== undefined) return shared
    const run = work(key, ...rest).finally(() => running.delete(key))
    running.set(key, run)
    return run
  }
}

/**
 * A single flight that pauses after each run with a key. Calls meanwhile wait and share the next run, so that their result
 * is from after they asked.
 */
export function pausingSingleFlight<Key, Value, Rest extends unknown[] = []>(
  work: (key: Key, ...rest: Rest) => Promise<Value>,
  pause: number,
): (key: Key, ...rest: Rest) => Promise<Value> {
  const pauses = new Map<Key, Promise<void>>()
  return singleFlight(async (key: Key, ...rest: Rest) => {
    await pauses.get(key)
    try {
      return await work(key, ...rest)
    } finally {
      const over = sleep(pause, undefined, { ref: false }).then(() => {
        pauses.delete(key)
      })
      pauses.set(key, over)
    }
  })
}

interface SharedRun<Value> {
  result: Promise<Value>
  callers: number
  stop: AbortController
}

/** A single flight whose callers can give up. When the last one does, the signal of the run is aborted. */
export class AbortableSingleFlight<Key, Value> {
  readonly #runs = new Map<Key, SharedRun<Value>>()

  /** Whether a call with this key would join a run instead of starting one. */
  canJoin(key: Key): boolean {
    return this.#runs.get(key)?.stop.signal.aborted === false
  }

  async run(
    key: Key,
    work: (signal: AbortSignal) => Promise<Value>,
    signal?: AbortSignal | undefined,
  ): Promise<Value> {
    signal?.throwIfAborted()
    const joined = this.canJoin(key) ? this.#runs.get(key) : undefined
    const run = joined ?? this.#start(key, work)
    run.callers++
    const { promise: aborted, reject } = Promise.withResolvers<never>()
    const giveUp = () => reject(signal?.reason)
    signal?.addEventListener('abort', giveUp, { once: true })
    try {
      return await Promise.race([run.result, aborted])
    } finally {
      signal?.removeEventListener('abort', giveUp)
      run.callers--
      if (run.callers === 0) run.stop.abort(signal?.reason)
    }
  }

  #start(key: Key, work: (signal: AbortSignal) => Promise<Value>): SharedRun<Value> {
    const stop = new AbortController()
    const result = work(stop.signal).finally(() => {
      if (this.#runs.get(key) === run) this.#runs.delete(key)
    })
    const run = { result, callers: 0, stop }
    this.#runs.set(key, run)
    return run
  }
}
