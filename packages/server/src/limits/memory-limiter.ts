import { type Clock, second } from '../kernel/clock.ts'
import { type BanState, isBanned, isExpired } from './ban.ts'
import { callerOf } from './caller-address.ts'
import { type Decision, decide, decideWindows } from './decide.ts'
import type { Journal } from './journal.ts'
import { dashboardCallers, type Limiter, type PersonRequest } from './limiter.ts'
import { addressLimits, type Limits, operatorLimits } from './policy.ts'
import { endOfDay, nothingUsed, openWindows } from './usage.ts'
import { UsageTable } from './usage-table.ts'
import { type Ban, dayView, mergeVerdicts, minuteView, peek, toBan, type Verdict } from './verdict.ts'

const cleanUpEvery = second
const callersPerCleanUp = 20_000
/** A client can have many addresses; they must not fill the memory. */
const maxAddresses = 500_000

export interface MemoryLimiter extends Limiter {
  check(request: Parameters<Limiter['check']>[0]): Verdict
  checkAddress(address: string): Verdict
  checkPerson(request: PersonRequest): Verdict
  checkOperator(): Verdict
}

/** The limiter for a single process. The journal persists daily counts and bans. */
export async function createMemoryLimiter(parts: {
  journal: Journal
  now: Clock
  random?: () => number
}): Promise<MemoryLimiter> {
  const { journal, now, random = Math.random } = parts
  /** Callers whose daily count is persisted: accounts by id, people under their own names. */
  const accounts = new UsageTable()
  const addresses = new UsageTable(maxAddresses)
  const operators = new UsageTable(1)
  const banStates = new Map<string, BanState>()
  await load()

  // Drawn again only after a rejection, which is all it is used for.
  let nextRandom = random()

  const cleanUp = setInterval(() => {
    for (const table of [accounts, addresses]) table.forgetIdle(now(), callersPerCleanUp)
    for (const [keyId, banState] of banStates) if (isExpired(banState, now())) banStates.delete(keyId)
  }, cleanUpEvery)
  cleanUp.unref()

  /** Stored counts include those of this process, so they are never less than what it knows. */
  async function load(): Promise<void> {
    const midnight = endOfDay(now())
    for (const { accountId, requests } of await journal.requestsToday()) {
      const row = accounts.rowOf(accountId)
      const usage = accounts.read(row)
      if (openWindows(usage, now()).dayUsed >= requests) continue
      accounts.write(row, { ...usage, dayUsed: requests, dayResetAt: midnight })
    }
    for (const [keyId, stored] of await journal.bannedKeys()) {
      if (stored.bannedUntil > (banStates.get(keyId)?.bannedUntil ?? 0)) banStates.set(keyId, stored)
    }
  }

  function checkWindows(table: UsageTable, caller: string, limits: Limits): Verdict {
    const row = table.rowOf(caller)
    const usage = table.read(row)
    const decision = decideWindows(usage, limits, now(), nextRandom)
    if (decision.verdict.admitted) table.write(row, decision.usage)
    else nextRandom = random()
    return decision.verdict
  }

  function checkPerson(request: PersonRequest): Verdict {
    const at = now()
    const decided = dashboardCallers(request).map(({ name, limits }) => {
      const row = accounts.rowOf(name)
      return { name, row, ...decideWindows(accounts.read(row), limits, at, nextRandom) }
    })
    const verdict = mergeVerdicts(decided.map((one) => one.verdict))
    if (!verdict.admitted) {
      nextRandom = random()
      return verdict
    }
    for (const { name, row, usage } of decided) {
      accounts.write(row, usage)
      journal.counts.add(name, at, row)
    }
    return verdict
  }

  function recordRejection(accountId: string, keyId: string, { banState, verdict }: Decision): void {
    nextRandom = random()
    if (banState === null) return
    banStates.set(keyId, banState)
    if (verdict.banStarted) journal.recordBan(accountId, keyId, banState)
  }

  return {
    check({ accountId, keyId, limits }) {
      const at = now()
      const row = accounts.rowOf(accountId)
      const usage = accounts.read(row)
      const banState = banStates.size === 0 ? null : (banStates.get(keyId) ?? null)
      const after = decide(usage, banState, limits, at, nextRandom)
      const { verdict } = after
      if (verdict.admitted) {
        accounts.write(row, after.usage)
        journal.counts.add(accountId, at, row)
        journal.countKey(keyId, at)
        return verdict
      }
      journal.countRejection(accountId, at)
      recordRejection(accountId, keyId, after)
      return verdict
    },
    checkAddress: (address) => checkWindows(addresses, callerOf(address), addressLimits),
    peekAddress: (address) => peek(addresses.find(callerOf(address)) ?? nothingUsed, addressLimits, now()),
    checkPerson,
    checkOperator: () => checkWindows(operators, 'operator', operatorLimits),
    async usage(accountId, limits) {
      const open = openWindows(accounts.find(accountId) ?? nothingUsed, now())
      const history = await journal.history(accountId)
      return { minute: minuteView(open, limits), day: dayView(open, limits), history }
    },
    requestsOfKeys: (keyIds) => journal.requestsOfKeys(keyIds),
    async bans(_accountId, keyIds) {
      const banned = new Map<string, Ban>()
      for (const keyId of keyIds) {
        const banState = banStates.get(keyId) ?? null
        if (isBanned(banState, now())) banned.set(keyId, toBan(banState))
      }
      return banned
    },
    async liftBan(_accountId, keyId) {
      const wasBanned = isBanned(banStates.get(keyId) ?? null, now())
      banStates.delete(keyId)
      journal.recordLiftedBan(keyId)
      await journal.flush()
      return wasBanned
    },
    counting: () => ({ by: 'process' }),
    async reload() {
      await journal.flush()
      await load()
    },
    flush: () => journal.flush(),
    async close() {
      clearInterval(cleanUp)
      await journal.close()
    },
  }
}
