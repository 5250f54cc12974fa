import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { day, hour, minute, second } from '../kernel/clock.ts'
import { initialBanState, isExpired, nextBanLength } from './ban.ts'
import { type Decision, decide } from './decide.ts'
import { banRule, type Limits, violationsAllowed } from './policy.ts'
import { nothingUsed } from './usage.ts'

const free: Limits = { perMinute: 60, perDay: 1_000 }

/** One key of one account, with its own clock. */
class Key {
  now: number
  limits: Limits
  state: Pick<Decision, 'usage' | 'banState'> = { usage: nothingUsed, banState: null }

  constructor(limits = free, now = 20_000 * day) {
    this.limits = limits
    this.now = now
  }

  send(random = 0) {
    const decision = decide(this.state.usage, this.state.banState, this.limits, this.now, random)
    this.state = decision
    return decision.verdict
  }

  /** Sends a request every `gap` until a ban starts, and returns how many it took. */
  hammer(gap: number, atMost = 100_000): number {
    for (let sent = 1; sent <= atMost; sent++, this.now += gap) if (this.send().banStarted) return sent
    return Number.POSITIVE_INFINITY
  }
}

test('a key that hammers is banned with the first request beyond the rule, not before', () => {
  const plans = fc.record({
    perMinute: fc.integer({ min: 1, max: 300 }),
    gap: fc.integer({ min: 1, max: 60 }),
  })
  fc.assert(
    fc.property(plans, ({ perMinute, gap }) => {
      const key = new Key({ perMinute, perDay: 100_000 })
      const allowed = Math.max(100, 2 * perMinute)
      const firstViolation = Math.ceil((perMinute * gap + 2 * second) / gap)
      const last = firstViolation + allowed
      fc.pre(last * gap < minute - 2 * second)
      assert.equal(key.hammer(gap), last + 1)
    }),
  )
})

test('a client that waits as asked is never banned, however many requests it has in flight', () => {
  const clients = fc.record({
    limits: fc.record({
      perMinute: fc.integer({ min: 1, max: 20 }),
      perDay: fc.integer({ min: 20, max: 120 }),
    }),
    start: fc.integer({ min: 0, max: 3 * day }),
    arrivals: fc.array(fc.integer({ min: 0, max: 1_900 }), { minLength: 150, maxLength: 300 }),
    late: fc.array(fc.integer({ min: 0, max: 1_500 }), { minLength: 1, maxLength: 7 }),
    randoms: fc.array(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), {
      minLength: 1,
      maxLength: 7,
    }),
  })
  fc.assert(
    fc.property(clients, ({ limits, start, arrivals, late, randoms }) => {
      const key = new Key(limits, start)
      const waiting = arrivals.map((wait) => start + wait).sort((a, b) => a - b)
      for (let sent = 0; waiting.length > 0 && sent < 3_000; sent++) {
        key.now = waiting.shift() ?? 0
        const verdict = key.send(randoms[sent % randoms.length])
        assert.equal(key.state.banState?.violations ?? 0, 0)
        if (verdict.retryAfterSeconds === null) continue
        waiting.push(key.now + verdict.retryAfterSeconds * second + (late[sent % late.length] ?? 0))
        waiting.sort((a, b) => a - b)
      }
    }),
    { numRuns: 30 },
  )
})

test('a client that comes up to two seconds early is excused', () => {
  const key = new Key({ perMinute: 1, perDay: 1_000 })
  key.send()
  for (let round = 0; round < 500; round++) {
    const { retryAfterSeconds } = key.send()
    key.now += (retryAfterSeconds ?? 0) * second - 2 * second
  }
  assert.equal(key.state.banState?.violations, 0)
})

test('violations that are spread over more than ten minutes do not add up', () => {
  const key = new Key({ perMinute: 1, perDay: 100_000 })
  assert.equal(key.hammer(7 * second, 2_000), Number.POSITIVE_INFINITY)
  assert.ok((key.state.banState?.violations ?? 0) > 0)
})

test('a ban rejects everything until its end, counts nothing and is not extended by traffic', () => {
  const key = new Key()
  key.hammer(10)
  const { usage } = key.state
  const until = key.now + 5 * minute
  for (; key.now < until; key.now += second) {
    const verdict = key.send()
    assert.equal(verdict.admitted, false)
    assert.deepEqual(verdict.shown, { limit: 60, remaining: 0, resetAt: until })
    assert.equal(verdict.retryAfterSeconds, Math.ceil((until - key.now) / second))
    assert.equal(verdict.ban?.until, until)
    assert.deepEqual(verdict.violated, [])
  }
  assert.equal(key.state.usage, usage)
  key.now = until
  assert.equal(key.send().admitted, true)
})

test('the request that starts a ban says so, with the number of violations', () => {
  const key = new Key()
  key.hammer(10)
  const verdict = key.send()
  assert.deepEqual(verdict.ban, { since: key.now, until: key.now + 5 * minute, step: 1, violations: 121 })
  assert.equal(verdict.banStarted, false)
})

test('bans get longer step by step, up to the longest, and each is as long as the one before it said', () => {
  const key = new Key({ perMinute: 60, perDay: 1_000_000 })
  const lengths = [5 * minute, 15 * minute, hour, 6 * hour, day, day, day]
  const told = [nextBanLength(0)]
  const seen = lengths.map(() => {
    key.hammer(10)
    const { until, step } = key.send().ban ?? assert.fail('no ban')
    told.push(nextBanLength(step))
    const length = until - key.now
    key.now = until
    return length
  })
  assert.deepEqual(seen, lengths)
  assert.deepEqual(told.slice(0, -1), lengths)
})

test('every day without a ban lowers the step, until nothing is remembered', () => {
  const key = new Key({ perMinute: 60, perDay: 1_000_000 })
  const banAgainAfter = (wait: number) => {
    key.now += wait
    key.hammer(10)
    const ban = key.send().ban ?? assert.fail('no ban')
    key.now = ban.until
    return ban.step
  }
  assert.deepEqual([banAgainAfter(0), banAgainAfter(0), banAgainAfter(0)], [1, 2, 3])
  assert.equal(banAgainAfter(day), 3)
  assert.equal(banAgainAfter(2 * day - minute), 3)
  assert.equal(banAgainAfter(2 * day), 2)
  const banState = key.state.banState ?? initialBanState
  assert.equal(isExpired(banState, key.now + 2 * day - 1), false)
  assert.equal(isExpired(banState, key.now + 2 * day), true)
  assert.equal(banAgainAfter(9 * day), 1)
})

test('a larger plan allows more violations: twice its limit per minute, at least a hundred', () => {
  assert.equal(violationsAllowed({ perMinute: 10, perDay: null }), 100)
  assert.equal(violationsAllowed({ perMinute: 1_000, perDay: null }), 2_000)
  assert.equal(banRule.durations.length, 5)
})

test('waiting for another day does not excuse requests sent today', () => {
  const key = new Key({ perMinute: 60, perDay: 1 })
  key.send()
  key.send()
  key.limits = { perMinute: 1, perDay: 1_000 }
  assert.ok(key.hammer(10) < 1_000)
})
