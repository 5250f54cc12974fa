import { randomBytes } from 'node:crypto'
import type { DoctorFinding } from '@masthead/contract/schemas/operator.ts'
import type { Redis } from 'ioredis'
import { second } from '../kernel/clock.ts'
import { describeError, ok, problem, warning } from './check.ts'

/** Scripts that ask for the time and then write need Redis 5; later ones are what people run. */
const oldestRedis = 6

export interface RedisFacts {
  version: string
  /** `master` or `slave`. */
  role: string
  policy: string
  /** Bytes; 0 for no limit. */
  maxMemory: number
  /** Whether the last snapshot and the last write to the log succeeded. */
  isSaving: boolean
  isCluster: boolean
  /** Null if a key can be written and deleted. */
  writeError: string | null
}

/** Connecting and a command fit the time of a check. */
const timeout = 2 * second

/** Connects for a moment. */
export async function withRedis<T>(
  url: string,
  signal: AbortSignal,
  work: (redis: Redis) => Promise<T>,
): Promise<T> {
  const ioredis = await import('ioredis')
  const redis = new ioredis.Redis(url, {
    lazyConnect: true,
    connectTimeout: timeout,
    commandTimeout: timeout,
    retryStrategy: () => null,
    maxRetriesPerRequest: 0,
    enableReadyCheck: false,
  })
  let failure: unknown = null
  // The reason; the command itself only says that the connection is closed.
  redis.on('error', (error) => {
    failure ??= error
  })
  const end = () => redis.disconnect()
  signal.addEventListener('abort', end)
  try {
    await redis.connect()
    return await work(redis)
  } catch (error) {
    throw failure ?? error
  } finally {
    signal.removeEventListener('abort', end)
    end()
  }
}

export async function checkRedis(url: string, signal: AbortSignal): Promise<DoctorFinding[]> {
  try {
    return judgeRedis(await withRedis(url, signal, readFacts))
  } catch (error) {
    const message = `Redis could not be used: ${describeError(error)}.`
    const isRefused = /WRONGPASS|NOAUTH|NOPERM/.test(message)
    return [
      problem(
        message,
        isRefused
          ? 'Correct the user and the password in REDIS_URL.'
          : 'Check that Redis runs, and the host and port in REDIS_URL. Until then each process allows its share of the limits.',
      ),
    ]
  }
}

async function readFacts(redis: Redis): Promise<RedisFacts> {
  const info = new Map<string, string>()
  for (const line of (await redis.info()).split(/\r?\n/)) {
    const separator = line.indexOf(':')
    if (separator > 0) info.set(line.slice(0, separator), line.slice(separator + 1))
  }
  const key = `masthead:doctor:${randomBytes(8).toString('hex')}`
  const writeError = await redis.set(key, '1', 'PX', 10 * second).then(
    () => redis.del(key).then(() => null),
    (error: unknown) => describeError(error),
  )
  return {
    version: info.get('redis_version') ?? '0',
    role: info.get('role') ?? 'master',
    policy: info.get('maxmemory_policy') ?? 'noeviction',
    maxMemory: Number(info.get('maxmemory') ?? 0),
    isSaving: info.get('rdb_last_bgsave_status') !== 'err' && info.get('aof_last_write_status') !== 'err',
    isCluster: info.get('cluster_enabled') === '1',
    writeError,
  }
}

export function judgeRedis(facts: RedisFacts): DoctorFinding[] {
  const { version, policy, maxMemory } = facts
  const findings: DoctorFinding[] = [ok(`Redis ${version} is responding and evicts nothing.`)]
  if (Number.parseInt(version, 10) < oldestRedis)
    findings.push(
      problem(`Redis ${version} is too old.`, `Update it to ${oldestRedis} or later, or use Valkey.`),
    )
  if (facts.role !== 'master')
    findings.push(problem('This is a read-only replica.', 'Set REDIS_URL to the primary server.'))
  else if (facts.writeError !== null)
    findings.push(
      problem(
        `Redis accepts no writes: ${facts.writeError}.`,
        'Free its memory or disk space, or allow the user to write.',
      ),
    )
  if (facts.isCluster)
    findings.push(
      warning('Redis runs as a cluster, which has not been tried.', 'Set REDIS_URL to a single server.'),
    )
  if (!facts.isSaving)
    findings.push(problem('Redis could not save its data.', 'See its log, and free disk space.'))
  if (policy !== 'noeviction') {
    const fix = 'Set maxmemory-policy to noeviction (config set maxmemory-policy noeviction).'
    findings.push(
      maxMemory > 0
        ? problem(`Redis deletes counts when memory is short (${policy}), so limits are not kept.`, fix)
        : warning(`Redis would delete counts under a memory limit (${policy}); there is none now.`, fix),
    )
  }
  return findings
}
