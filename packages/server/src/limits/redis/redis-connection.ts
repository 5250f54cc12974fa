import { randomUUID } from 'node:crypto'
import type { Writable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { second } from '../../kernel/clock.ts'
import { withTimeout } from '../../kernel/with-timeout.ts'
import type { Script } from './decide-script.ts'

const commandsPerPacket = 16

/**
 * Commands of one turn of the event loop leave together, which saves system calls on both sides; but not all of
 * them at once, or Redis would have nothing to do while we prepare the rest.
 */
export class BatchedWrites {
  #commands = 0

  /** To be called before each command. */
  next(stream: Writable): void {
    if (this.#commands === 0) {
      stream.cork()
      process.nextTick(() => {
        this.#commands = 0
        stream.uncork()
      })
    } else if (this.#commands % commandsPerPacket === 0) {
      stream.uncork()
      stream.cork()
    }
    this.#commands++
  }
}

const heartbeatInterval = 5 * second
const reconnectDelay = 100
/** A connection that has been silent for so long is given up for a new one. */
const giveUpAfter = second

/** Nodes that were alive in the last thirty seconds, by Redis's clock. */
const nodesKey = 'limits:nodes'
const heartbeatScript = `
local now = tonumber(redis.call('TIME')[1])
redis.call('ZADD', KEYS[1], now, ARGV[1])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - 30)
redis.call('EXPIRE', KEYS[1], 60)
return redis.call('ZCARD', KEYS[1])`

export interface RedisConnectionLog {
  info(details: object, message: string): void
  warn(details: object, message: string): void
}

export interface RedisConnectionOptions {
  url: string
  log: RedisConnectionLog
  /** How long an answer may take before the link counts as down, in milliseconds. */
  budget?: number
}

/** A connection that is either up and quick or down, never in between. It comes back by itself. */
export class RedisConnection {
  readonly #redis: Redis
  readonly #log: RedisConnectionLog
  readonly #budget: number
  readonly #node = randomUUID()
  readonly #writes = new BatchedWrites()
  #state: 'new' | 'up' | 'down' | 'closed' = 'new'
  #nextBeat: NodeJS.Timeout | undefined
  #freshSince = performance.now()
  #nodes = 1
  #outages = 0

  /** Waits for the first contact, but not for long: a start must not depend on Redis. */
  static async open(options: RedisConnectionOptions): Promise<RedisConnection> {
    const link = new RedisConnection(options)
    const failure = await link.#firstContact()
    if (failure !== null) link.#lost(failure)
    else link.#schedule(heartbeatInterval)
    return link
  }

  private constructor({ url, log, budget = 50 }: RedisConnectionOptions) {
    this.#log = log
    this.#budget = budget
    this.#redis = new Redis(url, {
      // A command is answered now or not at all: the caller has something better to do than to wait.
      enableOfflineQueue: false,
      autoResendUnfulfilledCommands: false,
      maxRetriesPerRequest: 0,
      enableReadyCheck: false,
      retryStrategy: () => reconnectDelay,
      connectTimeout: giveUpAfter,
    })
    // What goes wrong is seen where something is asked for; unheard, ioredis would print it.
    this.#redis.on('error', () => {})
  }

  get up(): boolean {
    return this.#state === 'up'
  }

  /** How many nodes share the limits, this one included, as far as was known last. */
  get nodes(): number {
    return this.#nodes
  }

  get outages(): number {
    return this.#outages
  }

  /** The script's answer, or null where there was none in time. Never throws. */
  async run(script: Script, key: string, args: readonly (string | number)[]): Promise<number[] | null> {
    if (!this.up) return null
    try {
      this.#writes.next(this.#redis.stream)
      return (await withTimeout(this.#redis.evalsha(script.sha1, 1, key, ...args), this.#budget)) as number[]
    } catch (error) {
      const unknownToRedis = error instanceof Error && error.message.startsWith('NOSCRIPT')
      if (unknownToRedis)
        return this.ask(async (redis) => (await redis.eval(script.text, 1, key, ...args)) as number[])
      this.#lost(error)
      return null
    }
  }

  /** The same for other commands. */
  async ask<T>(work: (redis: Redis) => Promise<T>): Promise<T | null> {
    if (!this.up) return null
    try {
      return await withTimeout(work(this.#redis), this.#budget)
    } catch (error) {
      this.#lost(error)
      return null
    }
  }

  async close(): Promise<void> {
    clearTimeout(this.#nextBeat)
    await this.ask((redis) => redis.zrem(nodesKey, this.#node))
    this.#state = 'closed'
    clearTimeout(this.#nextBeat)
    this.#redis.disconnect()
  }

  async #firstContact(): Promise<unknown> {
    for (;;) {
      try {
        await this.#beat()
        this.#state = 'up'
        return null
      } catch (error) {
        if (performance.now() - this.#freshSince > giveUpAfter) return error
        await delay(10)
      }
    }
  }

  #schedule(wait: number): void {
    clearTimeout(this.#nextBeat)
    this.#nextBeat = setTimeout(() => void this.#tryBeat(), wait)
    this.#nextBeat.unref()
  }

  async #tryBeat(): Promise<void> {
    try {
      await this.#beat()
      if (this.#state === 'down') this.#recovered()
      this.#schedule(heartbeatInterval)
    } catch (error) {
      this.#lost(error)
    }
  }

  async #beat(): Promise<void> {
    const nodes = await withTimeout(this.#redis.eval(heartbeatScript, 1, nodesKey, this.#node), this.#budget)
    this.#nodes = Math.max(1, Number(nodes))
  }

  #recovered(): void {
    this.#state = 'up'
    this.#log.info({}, 'Redis answers again; limits are shared by all nodes')
  }

  #lost(error: unknown): void {
    if (this.#state === 'closed') return
    if (this.#state !== 'down') {
      this.#state = 'down'
      this.#outages++
      this.#freshSince = performance.now()
      const details = { err: error, nodes: this.#nodes }
      this.#log.warn(details, 'Redis does not answer in time; this node goes on with its share of the limits')
    } else if (performance.now() - this.#freshSince > giveUpAfter) {
      this.#freshSince = performance.now()
      this.#redis.disconnect(true)
    }
    this.#schedule(reconnectDelay)
  }
}
