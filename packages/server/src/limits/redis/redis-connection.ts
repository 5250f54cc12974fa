import { randomUUID } from 'node:crypto'
import type { Writable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { Redis, ReplyError } from 'ioredis'
import { second } from '../../kernel/clock.ts'
import { withTimeout } from '../../kernel/with-timeout.ts'
import type { Script } from './decide-script.ts'

const commandsPerPacket = 16

/**
 * Sends commands of one event loop tick together, which saves system calls on both sides. Not all in one packet, or
 * Redis would sit idle while we prepare the rest.
 */
export class BatchedWrites {
  #commands = 0

  /** Call before each command. */
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
/** Replace a connection that has not answered for this long. */
const giveUpAfter = second

/** Nodes with a heartbeat in the last thirty seconds, by Redis's clock. */
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
  /** In milliseconds. A command without a reply by then marks the connection as down. */
  timeout?: number
}

/** A connection that is either up and fast, or down. It reconnects automatically. */
export class RedisConnection {
  readonly #redis: Redis
  readonly #log: RedisConnectionLog
  readonly #timeout: number
  readonly #node = randomUUID()
  readonly #writes = new BatchedWrites()
  #state: 'new' | 'up' | 'down' | 'closed' = 'new'
  #nextHeartbeat: NodeJS.Timeout | undefined
  #connectingSince = performance.now()
  #nodes = 1
  #connectionError: Error | null = null

  /** Waits for the first reply, but not for long: the server must start without Redis. */
  static async open(options: RedisConnectionOptions): Promise<RedisConnection> {
    const connection = new RedisConnection(options)
    const failure = await connection.#connect()
    if (failure !== null) connection.#markDown(failure)
    else connection.#schedule(heartbeatInterval)
    return connection
  }

  private constructor({ url, log, timeout = 50 }: RedisConnectionOptions) {
    this.#log = log
    this.#timeout = timeout
    this.#redis = new Redis(url, {
      // A command gets its reply now or fails: callers have a fallback, so they should not wait.
      enableOfflineQueue: false,
      autoResendUnfulfilledCommands: false,
      maxRetriesPerRequest: 0,
      enableReadyCheck: false,
      retryStrategy: () => reconnectDelay,
      connectTimeout: giveUpAfter,
    })
    // Commands only fail with the news that there is no connection, so keep the reason for that.
    this.#redis.on('error', (error) => {
      this.#connectionError = error
    })
  }

  get up(): boolean {
    return this.#state === 'up'
  }

  /** The number of nodes that share the limits, including this one, as of the last heartbeat. */
  get nodes(): number {
    return this.#nodes
  }

  /** The script's reply, or null if there was none in time. Never throws. */
  async run(script: Script, key: string, args: readonly (string | number)[]): Promise<number[] | null> {
    if (!this.up) return null
    try {
      this.#writes.next(this.#redis.stream)
      return (await withTimeout(this.#redis.evalsha(script.sha1, 1, key, ...args), this.#timeout)) as number[]
    } catch (error) {
      const isUnknownScript = error instanceof Error && error.message.startsWith('NOSCRIPT')
      if (isUnknownScript)
        return this.ask(async (redis) => (await redis.eval(script.text, 1, key, ...args)) as number[])
      this.#markDown(error)
      return null
    }
  }

  /** The same for any other command. */
  async ask<T>(work: (redis: Redis) => Promise<T>): Promise<T | null> {
    if (!this.up) return null
    try {
      return await withTimeout(work(this.#redis), this.#timeout)
    } catch (error) {
      this.#markDown(error)
      return null
    }
  }

  async close(): Promise<void> {
    clearTimeout(this.#nextHeartbeat)
    await this.ask((redis) => redis.zrem(nodesKey, this.#node))
    this.#state = 'closed'
    clearTimeout(this.#nextHeartbeat)
    this.#redis.disconnect()
  }

  async #connect(): Promise<unknown> {
    for (;;) {
      try {
        await this.#heartbeat()
        this.#state = 'up'
        return null
      } catch (error) {
        if (performance.now() - this.#connectingSince > giveUpAfter) return error
        await delay(10)
      }
    }
  }

  #schedule(wait: number): void {
    clearTimeout(this.#nextHeartbeat)
    this.#nextHeartbeat = setTimeout(() => void this.#tryHeartbeat(), wait)
    this.#nextHeartbeat.unref()
  }

  async #tryHeartbeat(): Promise<void> {
    try {
      await this.#heartbeat()
      if (this.#state === 'down') this.#markUp()
      this.#schedule(heartbeatInterval)
    } catch (error) {
      this.#markDown(error)
    }
  }

  async #heartbeat(): Promise<void> {
    const nodes = await withTimeout(this.#redis.eval(heartbeatScript, 1, nodesKey, this.#node), this.#timeout)
    this.#nodes = Math.max(1, Number(nodes))
    this.#connectionError = null
  }

  #markUp(): void {
    this.#state = 'up'
    this.#log.info({}, 'Redis responds again; all nodes share the limits')
  }

  #markDown(error: unknown): void {
    if (this.#state === 'closed') return
    if (this.#state !== 'down') {
      this.#state = 'down'
      this.#connectingSince = performance.now()
      const isRefused = this.#connectionError !== null || error instanceof ReplyError
      const problem = isRefused ? 'cannot be used' : 'does not respond in time'
      this.#log.warn(
        { err: this.#connectionError ?? error, nodes: this.#nodes },
        `Redis ${problem}; this node continues with its share of the limits`,
      )
    } else if (performance.now() - this.#connectingSince > giveUpAfter) {
      this.#connectingSince = performance.now()
      this.#redis.disconnect(true)
    }
    this.#schedule(reconnectDelay)
  }
}
