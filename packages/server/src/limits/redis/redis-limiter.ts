import type { Clock } from '../../kernel/clock.ts'
import { Problem } from '../../kernel/problem.ts'
import { isBanned } from '../ban.ts'
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
  link: RedisConnection
  journal: Journal
  now: Clock
  random?: () => number
  script?: Script
}

/** How decisions came about, since the start. */
export interface DecisionCounts {
  /** By Redis, one round trip each. */
  asked: number
  /** Rejections that were known to last. */
  known: number
  /** By this node alone, Redis being away. */
  fallback: number
}

export interface RedisLimiter extends Limiter {
  readonly decisions: Readonly<DecisionCounts>
}

/** Limits of a service that is several processes: every decision is one script call to the Redis they share. */
export function createRedisLimiter(parts: RedisLimiterParts): RedisLimiter {
  const { link, journal, now, random = Math.random, script = decideScript() } = parts
  const rejections = new KnownRejections(now, random)
  const localShare = new LocalShare(now, random)
  const lost = new CountRecovery(link, journal)
  const decisions: DecisionCounts = { asked: 0, known: 0, fallback: 0 }

  function check(caller: string, keyId: string | null, limits: Limits): Verdict | Promise<Verdict> {
    return knownRejection(caller, keyId, limits) ?? decideNow(caller, keyId, limits)
  }

  function knownRejection(caller: string, keyId: string | null, limits: Limits): Verdict | null {
    const known = rejections.answer(keyId ?? caller, keyId !== null, limits, link.up)
    if (known !== null) decisions.known++
    return known
  }

  function decideNow(caller: string, keyId: string | null, limits: Limits): Verdict | Promise<Verdict> {
    return link.up ? askRedis(caller, keyId, limits) : fallBack(caller, limits)
  }

  /**
   * The callers lie in different slots of a cluster, so each is asked about by itself, the person first. Who is
   * rejected for all people of the account has paid for that with one request of their own, at most once a second.
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
      rejections.giveBack(who, unreported)
      return fallBack(caller, limits)
    }
    decisions.asked++
    const answer = readReply(reply)
    rejections.note(who, answer, askedAt)
    if (answer.banStarted && keyId !== null && answer.conduct !== null)
      journal.noteBan(caller, keyId, answer.conduct)
    if (answer.admitted) return admission(answer.usage, limits, answer.now)
    return rejection(answer.usage, answer.conduct, limits, answer.now, random(), answer.banStarted)
  }

  async function runScript(caller: string, keyId: string | null, limits: Limits, unreported: number) {
    const hash = hashOf(caller)
    const run = (today: number | null) =>
      link.run(script, hash, scriptArguments(limits, keyId, unreported, today))
    const reply = await run(null)
    const at = reply === null ? null : unknownAt(reply)
    if (at === null) return reply
    const recalled = await lost.recall(caller, hash, at)
    return recalled === null ? null : run(recalled.today)
  }

  function fallBack(caller: string, limits: Limits): Verdict {
    decisions.fallback++
    return localShare.check(caller, limits, link.nodes)
  }

  async function usageOf(accountId: string): Promise<WindowUsage> {
    const hash = hashOf(accountId)
    const stored = await link.ask((redis) => redis.hmgetBuffer(hash, 'w'))
    if (stored === null) return localShare.usage(accountId) ?? nothingUsed
    if (stored[0]) return unpackUsage(stored[0])
    const recalled = await lost.recall(accountId, hash, now())
    return { ...nothingUsed, dayUsed: recalled?.today ?? 0, dayResetAt: endOfDay(now()) }
  }

  async function bans(accountId: string, keyIds: readonly string[]): Promise<Map<string, Ban>> {
    const banned = new Map<string, Ban>()
    if (keyIds.length === 0) return banned
    const hash = hashOf(accountId)
    const stored = await link.ask((redis) => redis.hmgetBuffer(hash, 'w', ...keyIds))
    const recalled = stored !== null && !stored[0] ? await lost.recall(accountId, hash, now()) : null
    for (const [index, keyId] of keyIds.entries()) {
      const record = stored?.[index + 1]
      const known = record ? unpackBanState(record) : (recalled?.bans.get(keyId) ?? null)
      const conduct = stored === null ? rejections.banOf(keyId) : known
      if (isBanned(conduct, now())) banned.set(keyId, toBan(conduct))
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
      const stored = await link.ask((redis) => redis.hgetBuffer(hashOf(caller), 'w'))
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
      const removed = await link.ask((redis) => redis.hdel(hashOf(accountId), keyId))
      if (removed === null)
        throw new Problem('unavailable', 'Redis does not answer, so the ban could not be lifted.')
      rejections.forget(keyId)
      journal.noteLiftedBan(keyId)
      await journal.flush()
      return wasBanned
    },
    counting: () => ({ by: 'redis', up: link.up, nodes: link.nodes }),
    flush: () => journal.flush(),
    async close() {
      localShare.close()
      await link.close()
      await journal.close()
    },
  }
}

/** Everything about a caller is one key, and so in one slot of a cluster. */
const hashOf = (caller: string) => `limits:{${caller}}`
