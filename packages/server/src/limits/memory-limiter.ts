import { type Clock, second } from '../kernel/clock.ts'
import { isBanned, isExpired } from './ban.ts'
import { callerOf } from './caller-address.ts'
import { type Decision, decide, decideWindows } from './decide.ts'
import type { Journal } from './journal.ts'
import { dashboardCallers, type Limiter, type PersonRequest } from './limiter.ts'
import { addressLimits, type Limits, operatorLimits } from './policy.ts'
import { endOfDay, nothingUsed, openWindows } from './usage.ts'
import { UsageTable } from './usage-table.ts'
import { type Ban, dayView, mergeVerdicts, minuteView, peek, toBan, type Verdict } from './verdict.ts'

const tidyEvery = second
const callersPerTidying = 20_000
/** Anybody can have many addresses; nobody may fill the memory with them. */
const mostAddresses = 500_000

export interface MemoryLimiter extends Limiter {
  check(request: Parameters<Limiter['check']>[0]): Verdict
  checkAddress(address: string): Verdict
  checkPerson(request: PersonRequest): Verdict
  checkOperator(): Verdict
}

/** Limits of a service that is one process: decided at once, day counts and bans kept by the journal. */
export async function createMemoryLimiter(parts: {
  journal: Journal
  now: Clock
  random?: () => number
}): Promise<MemoryLimiter> {
  const { journal, now, random = Math.random } = parts
  /** Those whose day is kept: accounts under their id, people under names of their own. */
  const accounts = new UsageTable()
  const addresses = new UsageTable(mostAddresses)
  const operators = new UsageTable(1)
  const conducts = await journal.bannedKeys()
  const midnight = endOfDay(now())
  for (const { accountId, requests } of await journal.requestsToday()) {
    accounts.write(accounts.rowOf(accountId), { ...nothingUsed, dayUsed: requests, dayResetAt: midnight })
  }

  // Only rejections use it up, so only they pay for the next one.
  let chance = random()

  const tidying = setInterval(() => {
    for (const table of [accounts, addresses]) table.forgetIdle(now(), callersPerTidying)
    for (const [keyId, conduct] of conducts) if (isExpired(conduct, now())) conducts.delete(keyId)
  }, tidyEvery)
  tidying.unref()

  function checkWindows(table: UsageTable, caller: string, limits: Limits): Verdict {
    const row = table.rowOf(caller)
    const usage = table.read(row)
    const decision = decideWindows(usage, limits, now(), chance)
    if (decision.verdict.admitted) table.write(row, decision.usage)
    else chance = random()
    return decision.verdict
  }

  function checkPerson(request: PersonRequest): Verdict {
    const at = now()
    const decided = dashboardCallers(request).map(({ name, limits }) => {
      const row = accounts.rowOf(name)
      return { name, row, ...decideWindows(accounts.read(row), limits, at, chance) }
    })
    const verdict = mergeVerdicts(decided.map((one) => one.verdict))
    if (!verdict.admitted) {
      chance = random()
      return verdict
    }
    for (const { name, row, usage } of decided) {
      accounts.write(row, usage)
      journal.counts.add(name, at, row)
    }
    return verdict
  }

  function noteRejection(accountId: string, keyId: string, { conduct, verdict }: Decision): void {
    chance = random()
    if (conduct === null) return
    conducts.set(keyId, conduct)
    if (verdict.banStarted) journal.noteBan(accountId, keyId, conduct)
  }

  return {
    check({ accountId, keyId, limits }) {
      const at = now()
      const row = accounts.rowOf(accountId)
      const usage = accounts.read(row)
      const conduct = conducts.size === 0 ? null : (conducts.get(keyId) ?? null)
      const after = decide(usage, conduct, limits, at, chance)
      const { verdict } = after
      if (verdict.admitted) {
        accounts.write(row, after.usage)
        journal.counts.add(accountId, at, row)
        journal.countKey(keyId, at)
        return verdict
      }
      journal.countRejection(accountId, at)
      noteRejection(accountId, keyId, after)
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
        const conduct = conducts.get(keyId) ?? null
        if (isBanned(conduct, now())) banned.set(keyId, toBan(conduct))
      }
      return banned
    },
    async liftBan(_accountId, keyId) {
      const wasBanned = isBanned(conducts.get(keyId) ?? null, now())
      conducts.delete(keyId)
      journal.noteLiftedBan(keyId)
      await journal.flush()
      return wasBanned
    },
    counting: () => ({ by: 'process' }),
    flush: () => journal.flush(),
    async close() {
      clearInterval(tidying)
      await journal.close()
    },
  }
}
