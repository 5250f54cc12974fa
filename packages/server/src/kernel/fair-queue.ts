import { TimeoutError } from './with-timeout.ts'

/** How much of the free capacity one caller may hold. */
const callerFraction = 1 / 4

/**
 * A counting semaphore shared by callers. A caller's share shrinks as capacity runs out: alone it gets a fifth of
 * everything, and even dozens of greedy callers leave room for one more request. Null is a trusted proxy, which speaks
 * for many clients and may use everything that is free.
 */
export class FairSemaphore {
  #size: number
  readonly #perCaller: number | null
  readonly #held = new Map<string, number>()
  #taken = 0

  /** `perCaller` is a fixed limit instead of the shrinking share. */
  constructor(size: number, perCaller: number | null = null) {
    this.#size = size
    this.#perCaller = perCaller
  }

  get taken(): number {
    return this.#taken
  }

  get free(): number {
    return Math.max(this.#size - this.#taken, 0)
  }

  get isFull(): boolean {
    return this.free === 0
  }

  /** Those that hold their share. */
  get saturated(): string[] {
    return [...this.#held.keys()].filter((caller) => !this.hasRoomFor(caller))
  }

  /** If it becomes smaller than what is taken, there is room again once enough was released. */
  resize(size: number): void {
    this.#size = size
  }

  heldBy(caller: string): number {
    return this.#held.get(caller) ?? 0
  }

  hasRoomFor(caller: string | null): boolean {
    const { free } = this
    if (caller === null || free === 0) return free > 0
    return this.heldBy(caller) < (this.#perCaller ?? free * callerFraction)
  }

  /** If it returns true, call `release` when done. */
  tryAcquire(caller: string | null): boolean {
    if (!this.hasRoomFor(caller)) return false
    this.#taken++
    if (caller !== null) this.#held.set(caller, this.heldBy(caller) + 1)
    return true
  }

  release(caller: string | null): void {
    this.#taken--
    if (caller === null) return
    const left = this.heldBy(caller) - 1
    if (left > 0) this.#held.set(caller, left)
    else this.#held.delete(caller)
  }
}

export interface FairQueueOptions {
  /** How much runs at once. */
  size: number
  /** A fixed limit instead of the shrinking share. */
  perCaller?: number
  /** How much may wait; each caller has a share of this too. */
  maxWaiting?: number
}

export interface Patience {
  /** After it, a caller that still waits gets a TimeoutError. */
  timeoutMs?: number
  /** Ends the wait with its reason. */
  signal?: AbortSignal | undefined
}

export class QueueFullError extends Error {
  override readonly name = 'QueueFullError'

  constructor() {
    super('The queue is full')
  }
}

/** Runs work for callers with bounded concurrency. Callers over their share wait, and are served round-robin. */
export class FairQueue {
  readonly #running: FairSemaphore
  readonly #waitingRoom: FairSemaphore
  /** In the order callers are served next. */
  readonly #waiting = new Map<string | null, Set<() => void>>()

  constructor({ size, perCaller, maxWaiting = 4000 }: FairQueueOptions) {
    this.#running = new FairSemaphore(size, perCaller)
    this.#waitingRoom = new FairSemaphore(maxWaiting)
  }

  async run<T>(caller: string | null, work: () => Promise<T>, patience: Patience = {}): Promise<T> {
    patience.signal?.throwIfAborted()
    if (!this.#running.tryAcquire(caller)) await this.#wait(caller, patience)
    try {
      return await work()
    } finally {
      this.#running.release(caller)
      this.#startNext()
    }
  }

  async #wait(caller: string | null, { timeoutMs, signal }: Patience): Promise<void> {
    if (!this.#waitingRoom.tryAcquire(caller)) throw new QueueFullError()
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const queue = this.#waiting.get(caller) ?? new Set()
    this.#waiting.set(caller, queue.add(resolve))
    const giveUp = (reason: unknown) => {
      // Immediately, so that nobody is started who has given up.
      if (!queue.delete(resolve)) return
      if (queue.size === 0) this.#waiting.delete(caller)
      this.#waitingRoom.release(caller)
      reject(reason)
    }
    const overdue = () => giveUp(new TimeoutError(`not started within ${timeoutMs} ms`))
    const aborted = () => giveUp(signal?.reason)
    const timer = timeoutMs === undefined ? undefined : setTimeout(overdue, timeoutMs)
    signal?.addEventListener('abort', aborted, { once: true })
    try {
      await promise
    } finally {
      clearTimeout(timer)
      signal?.removeEventListener('abort', aborted)
    }
  }

  #startNext(): void {
    for (const [caller, queue] of this.#waiting) {
      if (!this.#running.tryAcquire(caller)) continue
      const [start] = queue
      this.#waiting.delete(caller)
      if (start !== undefined) queue.delete(start)
      if (queue.size > 0) this.#waiting.set(caller, queue)
      this.#waitingRoom.release(caller)
      start?.()
      return
    }
  }
}
