import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { day, hour, minute, second } from '../kernel/clock.ts'
import type { Journal } from './journal.ts'
import type { Limiter } from './limiter.ts'
import { createMemoryLimiter } from './memory-limiter.ts'

export interface LimiterUnderTest extends AsyncDisposable {
  limiter: Limiter
  journal: Journal
  now(): number
  /** Moves every clock that decisions use. */
  move(milliseconds: number): Promise<void>
}

const free = { perMinute: 60, perDay: 1_000 }

/** Tests that every limiter must pass, wherever it keeps its counts. */
export function limiterContract(
  name: string,
  skip: string | false,
  start: (at: number) => Promise<LimiterUnderTest>,
): void {
  const noon = 30_000 * day + 12 * hour

  describe(`limits ${name}`, { skip }, () => {
    const send = (limiter: Limiter, account: string, key: string, limits = free) =>
      limiter.check({ accountId: `acc_${account}`, keyId: `key_${key}`, limits })
    const sendMany = async (count: number, one: () => ReturnType<Limiter['check']>) => {
      const verdicts = await Promise.all(Array.from({ length: count }, one))
      return verdicts.filter(({ admitted }) => admitted).length
    }
    /** Sends a request every 20 ms until a ban starts, and returns how many it took. */
    const hammer = async ({ limiter, move }: LimiterUnderTest, account: string, key: string) => {
      for (let sent = 1; sent < 1_000; sent++, await move(20)) {
        if ((await send(limiter, account, key)).banStarted) return sent
      }
      return assert.fail('it was never banned')
    }

    test('of many simultaneous requests exactly the limit is admitted, whichever keys they use', async () => {
      await using under = await start(noon)
      const { limiter } = under
      let n = 0
      assert.equal(await sendMany(150, () => send(limiter, 'a', String(n++ % 3))), 60)
      assert.equal((await send(limiter, 'b', 'other')).admitted, true)
    })

    test('a minute starts with its first request and ends sixty seconds later', async () => {
      await using under = await start(noon + 12_345)
      const { limiter, now, move } = under
      const resetAt = now() + minute
      await sendMany(60, () => send(limiter, 'a', '1'))
      await move(minute - 1)
      const rejected = await send(limiter, 'a', '1')
      assert.equal(rejected.admitted, false)
      assert.deepEqual(rejected.shown, { limit: 60, used: 60, remaining: 0, resetAt })
      await move(1)
      const admitted = await send(limiter, 'a', '1')
      assert.deepEqual(admitted.minute, { limit: 60, used: 1, remaining: 59, resetAt: resetAt + minute })
    })

    test('a full day rejects without touching the minute, until midnight UTC', async () => {
      await using under = await start(noon + 12 * hour - 10 * second)
      const { limiter, now, move } = under
      const limits = { perMinute: 60, perDay: 10 }
      const midnight = now() + 10 * second
      assert.equal(await sendMany(20, () => send(limiter, 'a', '1', limits)), 10)
      const rejected = await send(limiter, 'a', '1', limits)
      assert.deepEqual(rejected.violated, ['day'])
      assert.deepEqual(rejected.day, { limit: 10, used: 10, remaining: 0, resetAt: midnight })
      assert.equal(rejected.minute.used, 10)
      await move(10 * second)
      const admitted = await send(limiter, 'a', '1', limits)
      assert.equal(admitted.minute.used, 11)
      assert.equal(admitted.day?.used, 1)
      assert.equal(admitted.day?.resetAt, midnight + day)
    })

    test('a new plan applies from the next request on, and used requests stay used', async () => {
      await using under = await start(noon)
      const { limiter } = under
      assert.equal(await sendMany(70, () => send(limiter, 'a', '1')), 60)
      const pro = { perMinute: 300, perDay: 10_000 }
      const upgraded = await send(limiter, 'a', '1', pro)
      assert.deepEqual([upgraded.admitted, upgraded.minute.used, upgraded.minute.remaining], [true, 61, 239])
      const back = await send(limiter, 'a', '1')
      assert.deepEqual([back.admitted, back.minute.used, back.minute.remaining], [false, 61, 0])
    })

    test('a key that hammers is banned exactly by the rule, and other keys of its account are not', async () => {
      await using under = await start(noon)
      const { limiter, now, move } = under
      const admitted = 60
      const inGrace = (2 * second) / 20
      assert.equal(await hammer(under, 'a', '1'), admitted + inGrace + 121)
      const ban = (await send(limiter, 'a', '1')).ban ?? assert.fail('no ban')
      assert.deepEqual(ban, { since: now(), until: now() + 5 * minute, step: 1, violations: 121 })
      assert.equal((await send(limiter, 'a', '2')).ban, null)
      assert.deepEqual([...(await limiter.bans('acc_a', ['key_1', 'key_2']))], [['key_1', ban]])
      await move(5 * minute - 1)
      const last = await send(limiter, 'a', '1')
      assert.deepEqual([last.ban?.until, last.retryAfterSeconds], [ban.until, 1])
      await move(1)
      assert.equal((await send(limiter, 'a', '1')).admitted, true)
      assert.equal((await limiter.bans('acc_a', ['key_1'])).size, 0)
    })

    test('the second ban is longer, and lifting a ban resets its step', async () => {
      await using under = await start(noon)
      const { limiter, now, move } = under
      await hammer(under, 'a', '1')
      await move(5 * minute)
      await hammer(under, 'a', '1')
      assert.equal((await send(limiter, 'a', '1')).ban?.until, now() + 15 * minute)
      assert.equal(await limiter.liftBan('acc_a', 'key_1'), true)
      assert.equal(await limiter.liftBan('acc_a', 'key_1'), false)
      await move(minute)
      assert.equal((await send(limiter, 'a', '1')).admitted, true)
      await hammer(under, 'a', '1')
      assert.equal((await send(limiter, 'a', '1')).ban?.step, 1)
    })

    test('a ban is in the database until it is lifted', async () => {
      await using under = await start(noon)
      const { limiter, journal, now } = under
      await hammer(under, 'a', '1')
      const noted = async () => {
        await limiter.flush()
        return Array.from(await journal.bannedKeys(), ([key, { bannedUntil }]) => [key, bannedUntil])
      }
      assert.deepEqual(await noted(), [['key_1', now() + 5 * minute]])
      await limiter.liftBan('acc_a', 'key_1')
      assert.deepEqual(await noted(), [])
    })

    test('without a key an address gets sixty requests per minute, an IPv6 /64 as a whole, and is never banned', async () => {
      await using under = await start(noon)
      const { limiter, move } = under
      let n = 0
      assert.equal(await sendMany(100, () => limiter.checkAddress(`2001:db8::${(n++).toString(16)}`)), 60)
      assert.equal((await limiter.checkAddress('192.0.2.7')).admitted, true)
      for (let sent = 0; sent < 500; sent++) {
        await move(20)
        const verdict = await limiter.checkAddress('2001:db8::1')
        assert.deepEqual([verdict.admitted, verdict.ban, verdict.day], [false, null, null])
      }
      await move(minute)
      assert.equal((await limiter.checkAddress('2001:db8::1')).admitted, true)
    })

    const person = (limiter: Limiter, name: string, account: string, limits = free) =>
      limiter.checkPerson({ personId: `per_${name}`, account: { id: `acc_${account}`, limits } })

    test('a person gets 600 requests per minute across all accounts, and does not use up those of keys', async () => {
      await using under = await start(noon)
      const { limiter } = under
      let n = 0
      assert.equal(await sendMany(700, () => person(limiter, 'ada', String(n++ % 5))), 600)
      assert.equal((await person(limiter, 'bob', '1')).shown.remaining, 599)
      assert.equal((await limiter.checkPerson({ personId: 'per_ada', account: null })).admitted, false)
      assert.equal((await send(limiter, '1', '1')).shown.remaining, 59)
    })

    test('the members of an account share 1,200 requests per minute, or the limit of the plan if it is higher', async () => {
      await using under = await start(noon)
      const { limiter } = under
      let n = 0
      assert.equal(await sendMany(1_500, () => person(limiter, String(n++ % 4), 'a')), 1_200)
      const rejected = await person(limiter, 'late', 'a')
      assert.deepEqual([rejected.admitted, rejected.shown.limit], [false, 1_200])
      assert.equal((await person(limiter, 'late', 'a', { perMinute: 5_000, perDay: 1 })).admitted, true)
      assert.equal((await person(limiter, 'late', 'b')).admitted, true)
    })

    test('a person gets 10,000 requests per day, also after a restart, and sees the tighter window', async () => {
      await using under = await start(noon)
      const { limiter, move, journal, now } = under
      let admitted = 0
      for (let minutes = 0; minutes < 18; minutes++, await move(minute)) {
        admitted += await sendMany(600, () => person(limiter, 'ada', 'a'))
      }
      assert.equal(admitted, 10_000)
      const rejected = await person(limiter, 'ada', 'b')
      assert.deepEqual([rejected.violated, rejected.shown.limit], [['day'], 10_000])
      assert.equal(rejected.shown.resetAt, noon + 12 * hour)
      assert.equal((await person(limiter, 'bob', 'a')).day?.remaining, 9_999)
      await limiter.flush()
      const counted = new Map((await journal.requestsToday()).map((one) => [one.accountId, one.requests]))
      assert.deepEqual([counted.get('person:per_ada'), counted.get('people:acc_a')], [10_000, 10_001])
      const restarted = await createMemoryLimiter({ journal, now })
      assert.equal((await person(restarted, 'ada', 'b')).admitted, false)
    })

    test('the operator gets 600 requests per minute, without a daily limit', async () => {
      await using under = await start(noon)
      const { limiter } = under
      assert.equal(await sendMany(700, () => limiter.checkOperator()), 600)
      assert.equal((await limiter.checkOperator()).day, null)
    })

    test('usage has both windows as of now and the history', async () => {
      await using under = await start(noon)
      const { limiter, now, move } = under
      assert.equal(await sendMany(70, () => send(limiter, 'a', '1')), 60)
      await move(2 * minute)
      assert.equal(await sendMany(3, () => send(limiter, 'a', '2')), 3)
      const { minute: window, day: today, history } = await limiter.usage('acc_a', free)
      assert.deepEqual(window, { limit: 60, used: 3, remaining: 57, resetAt: now() + minute })
      assert.deepEqual(today, { limit: 1_000, used: 63, remaining: 937, resetAt: noon + 12 * hour })
      assert.equal(history.minutes.length, 120)
      assert.deepEqual(
        history.minutes.slice(-4).map(({ requests }) => requests),
        [0, 60, 0, 3],
      )
      assert.equal(history.minutes.at(-1)?.start, now())
      assert.equal(history.days.length, 30)
      assert.deepEqual(
        history.days.slice(-2).map(({ requests }) => requests),
        [0, 63],
      )
    })

    test('an account without requests has used nothing', async () => {
      await using under = await start(noon)
      const { minute: window, day: today } = await under.limiter.usage('acc_new', free)
      assert.deepEqual([window.used, today?.used, today?.resetAt], [0, 0, noon + 12 * hour])
    })
  })
}
