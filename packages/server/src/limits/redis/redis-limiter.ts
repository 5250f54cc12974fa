import type { Redis } from 'ioredis'
import { type Clock, day } from '../../kernel/clock.ts'
import { Problem } from '../../kernel/problem.ts'
import { initialBanState, isBanned } from '../ban.ts'
import { callerOf } from '../caller-address.ts'
import type { Journal } from '../journal.ts'
import { dashboardCallers, type Limiter, type PersonRequest } from '../limiter.ts'
import { addressLimits, type Limits, operatorLimits } from '../policy.ts'
import { endOfDay, nothingUsed, openWindows, type WindowUsage } from '../usage.ts'
import {
  admission,
  type Ban,
  dayView,
  mergeVerdicts,
  minuteView,
  peek,
  rejection,
  toBan,
  type Verdict,
} from '../verdict.ts'
import {
  decideScript,
  packBanState,
  readReply,
  type Script,
  scriptArguments,
  unknownAt,
  unpackBanState,
  unpackUsage,
} from './decide-script.ts'
import { KnownRejections } from './known-rejections.ts'
import type { RedisConnection } from './redis-connection.ts'
import { CountRecovery, LocalShare } from './redis-outage.ts'

export interface RedisLimiterParts {
  connection: RedisConnection
  journal: Journal
  now: Clock
  script?: Script
}

/** How requests were decided since the start. */
export interface DecisionCounts {
  /** By Redis, with one round trip each. */
  asked: number
  /** By a rejection that is still valid. */
  known: number
  /** By this node alone, because Redis was down. */
  fallback: number
}

export interface RedisLimiter extends Limiter {
  readonly decisions: Readonly<DecisionCounts>
}

/** The limiter for several processes: every decision is one script call to their shared Redis. */
export function createRedisLimiter(parts: RedisLimiterParts): RedisLimiter {
  const { connection, journal, now, script = decideScript() } = parts
  const rejections = new KnownRejections(now, Math.random)
  const localShare = new LocalShare(now, Math.random)
  const recovery = new CountRecovery(connection, journal)
  const decisions: DecisionCounts = { asked: 0, known: 0, fallback: 0 }

  function check(caller: string, keyId: string | null, limits: Limits): Verdict | Promise<Verdict> {
    return knownRejection(caller, keyId, limits) ?? decideNow(caller, keyId, limits)
  }

  function knownRejection(caller: string, keyId: string | null, limits: Limits): Verdict | null {
    const known = rejections.answer(keyId ?? caller, keyId !== null, limits, connection.up)
    if (known !== null) decisions.known++
    return known
  }

  function decideNow(caller: string, keyId: string | null, limits: Limits): Verdict | Promise<Verdict> {
    return connection.up ? askRedis(caller, keyId, limits) : fallBack(caller, limits)
  }

  /**
   * The callers may be in different slots of a Redis cluster, so each takes its own call, the person first. If the
   * shared limit of the account rejects the request, the person has still spent one of their own: at most once a
   * second.
   */
  async function checkPerson(request: PersonRequest): Promise<Verdict> {
    const callers = dashboardCallers(request)
    for (const { name, limits } of callers) {
      const known = knownRejection(name, null, limits)
      if (known !== null) return known
    }
    const verdicts: Verdict[] = []
    for (const { name, limits } of callers) {
      const verdict = await decideNow(name, null, limits)
      if (!verdict.admitted) return verdict
      verdicts.push(verdict)
    }
    const verdict = mergeVerdicts(verdicts)
    for (const { name } of callers) journal.counts.add(name, verdict.at)
    return verdict
  }

  async function askRedis(caller: string, keyId: string | null, limits: Limits): Promise<Verdict> {
    const who = keyId ?? caller
    const askedAt = now()
    const unreported = rejections.takeUnreported(who)
    const reply = await runScript(caller, keyId, limits, unreported)
    if (reply === null) {
      rejections.restoreUnreported(who, unreported)
      return fallBack(caller, limits)
    }
    decisions.asked++
    const answer = readReply(reply)
    rejections.record(who, answer, askedAt)
    if (answer.banStarted && keyId !== null && answer.banState !== null)
      journal.recordBan(caller, keyId, answer.banState)
    if (answer.admitted) return admission(answer.usage, limits, answer.now)
    return rejection(answer.usage, answer.banState, limits, answer.now, Math.random(), answer.banStarted)
  }

  async function runScript(caller: string, keyId: string | null, limits: Limits, unreported: number) {
    const hash = hashOf(caller)
    const run = (today: number | null) =>
      connection.run(script, hash, scriptArguments(limits, keyId, unreported, today))
    const reply = await run(null)
    const at = reply === null ? null : unknownAt(reply)
    if (at === null) return reply
    const recovered = await recovery.recover(caller, hash, at)
    return recovered === null ? null : run(recovered.today)
  }

  function fallBack(caller: string, limits: Limits): Verdict {
    decisions.fallback++
    return localShare.check(caller, limits, connection.nodes)
  }

  async function usageOf(accountId: string): Promise<WindowUsage> {
    const hash = hashOf(accountId)
    const stored = await connection.ask((redis) => redis.hmgetBuffer(hash, 'w'))
    if (stored === null) return localShare.usage(accountId) ?? nothingUsed
    if (stored[0]) return unpackUsage(stored[0])
    const recovered = await recovery.recover(accountId, hash, now())
    return { ...nothingUsed, dayUsed: recovered?.today ?? 0, dayResetAt: endOfDay(now()) }
  }

  async function bans(accountId: string, keyIds: readonly string[]): Promise<Map<string, Ban>> {
    const banned = new Map<string, Ban>()
    if (keyIds.length === 0) return banned
    const hash = hashOf(accountId)
    const stored = await connection.ask((redis) => redis.hmgetBuffer(hash, 'w', ...keyIds))
    const recovered = stored !== null && !stored[0] ? await recovery.recover(accountId, hash, now()) : null
    for (const [index, keyId] of keyIds.entries()) {
      const record = stored?.[index + 1]
      const known = record ? unpackBanState(record) : (recovered?.bans.get(keyId) ?? null)
      const banState = stored === null ? rejections.banOf(keyId) : known
      if (isBanned(banState, now())) banned.set(keyId, toBan(banState))
    }
    return banned
  }

  return {
    decisions,
    async check({ accountId, keyId, limits }) {
      const verdict = await check(accountId, keyId, limits)
      if (verdict.admitted) {
        journal.counts.add(accountId, verdict.at)
        journal.countKey(keyId, verdict.at)
      } else journal.countRejection(accountId, verdict.at)
      return verdict
    },
    checkAddress: (address) => check(`address:${callerOf(address)}`, null, addressLimits),
    async peekAddress(address) {
      const caller = `address:${callerOf(address)}`
      const stored = await connection.ask((redis) => redis.hgetBuffer(hashOf(caller), 'w'))
      return peek(stored === null ? nothingUsed : unpackUsage(stored), addressLimits, now())
    },
    checkPerson,
    checkOperator: () => check('operator', null, operatorLimits),
    async usage(accountId, limits) {
      const open = openWindows(await usageOf(accountId), now())
      return {
        minute: minuteView(open, limits),
        day: dayView(open, limits),
        history: await journal.history(accountId),
      }
    },
    requestsOfKeys: (keyIds) => journal.requestsOfKeys(keyIds),
    bans,
    async liftBan(accountId, keyId) {
      const wasBanned = (await bans(accountId, [keyId])).has(keyId)
      const lifted = await connection.ask((redis) => overwriteBan(redis, hashOf(accountId), keyId))
      if (lifted === null)
        throw new Problem('unavailable', 'Redis is not responding, so the ban was not lifted.')
      rejections.forget(keyId)
      journal.recordLiftedBan(keyId)
      await journal.flush()
      return wasBanned
    },
    counting: () => ({ by: 'redis', up: connection.up, nodes: connection.nodes }),
    async reload() {},
    flush: () => journal.flush(),
    async close() {
      localShare.close()
      await connection.close()
      await journal.close()
    },
  }
}

/**
 * An empty state, and not none: a node that read the ban from the database a moment ago, for a Redis that lost it, would
 * restore it.
 */
async function overwriteBan(redis: Redis, hash: string, keyId: string): Promise<true> {
  await redis.hset(hash, keyId, packBanState(initialBanState))
  if ((await redis.pttl(hash)) < 0) await redis.pexpire(hash, day)
  return true
}

/** One key per caller, so that everything about it is in one slot of a cluster. */
const hashOf = (caller: string) => `limits:{${caller}}`
