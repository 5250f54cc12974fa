import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { day, minute } from '../kernel/clock.ts'
import { type Decision, decide } from './decide.ts'
import type { Limits } from './policy.ts'
import { nothingUsed, openWindows } from './usage.ts'

const limitsArbitrary = fc.record({
  perMinute: fc.integer({ min: 1, max: 6 }),
  perDay: fc.integer({ min: 1, max: 30 }),
})
const waits = fc.oneof(
  { weight: 8, arbitrary: fc.integer({ min: 0, max: 20_000 }) },
  { weight: 2, arbitrary: fc.integer({ min: 0, max: 2 * minute }) },
  { weight: 1, arbitrary: fc.integer({ min: 0, max: day }) },
)
const startTimes = fc.integer({ min: 0, max: 4_000_000_000_000 })
const randoms = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })

interface Step {
  now: number
  limits: Limits
  before: Decision
  after: Decision
}

/** Sends the requests one after another and passes every step to the check. */
function play(
  start: number,
  requests: { wait: number; limits: Limits; random: number }[],
  check: (step: Step) => void,
) {
  let now = start
  let before: Decision = {
    usage: nothingUsed,
    banState: null,
    verdict: decide(nothingUsed, null, { perMinute: 1, perDay: 1 }, now, 0).verdict,
  }
  for (const { wait, limits, random } of requests) {
    now += wait
    const after = decide(before.usage, before.banState, limits, now, random)
    check({ now, limits, before, after })
    before = after
  }
}

const onePlan = fc.tuple(
  startTimes,
  limitsArbitrary,
  fc.array(fc.record({ wait: waits, random: randoms }), { maxLength: 120 }),
)
const manyPlans = fc.tuple(
  startTimes,
  fc.array(fc.record({ wait: waits, limits: limitsArbitrary, random: randoms }), { maxLength: 120 }),
)

test('no window admits more than its limit, and each lasts its full length', () => {
  fc.assert(
    fc.property(onePlan, ([start, limits, requests]) => {
      const admitted = { minute: new Map<number, number[]>(), day: new Map<number, number[]>() }
      play(
        start,
        requests.map((request) => ({ ...request, limits })),
        ({ now, after: { verdict } }) => {
          if (!verdict.admitted || verdict.day === null) return
          admitted.minute.set(verdict.minute.resetAt, [
            ...(admitted.minute.get(verdict.minute.resetAt) ?? []),
            now,
          ])
          admitted.day.set(verdict.day.resetAt, [...(admitted.day.get(verdict.day.resetAt) ?? []), now])
        },
      )
      for (const [resetAt, times] of admitted.minute) {
        assert.ok(times.length <= limits.perMinute)
        assert.equal(resetAt, (times[0] ?? 0) + minute)
        assert.ok(times.every((time) => time < resetAt))
      }
      for (const [resetAt, times] of admitted.day) {
        assert.ok(times.length <= limits.perDay)
        assert.equal(resetAt % day, 0)
        assert.ok(times.every((time) => time < resetAt && time >= resetAt - day))
      }
    }),
  )
})

test('a request is admitted exactly when both windows have room', () => {
  fc.assert(
    fc.property(manyPlans, ([start, requests]) => {
      play(start, requests, ({ now, limits, before, after }) => {
        const { minuteUsed, dayUsed } = openWindows(before.usage, now)
        const room = minuteUsed < limits.perMinute && dayUsed < (limits.perDay ?? 0)
        assert.equal(after.verdict.admitted, room)
      })
    }),
  )
})

test('a rejection counts nothing, and an admission counts once in both windows', () => {
  fc.assert(
    fc.property(manyPlans, ([start, requests]) => {
      play(start, requests, ({ now, before, after }) => {
        if (!after.verdict.admitted) assert.equal(after.usage, before.usage)
        else {
          const open = openWindows(before.usage, now)
          assert.deepEqual(after.usage, {
            ...open,
            minuteUsed: open.minuteUsed + 1,
            dayUsed: open.dayUsed + 1,
          })
        }
      })
    }),
  )
})

test('a reset never moves during its window, and used requests stay used when the plan changes', () => {
  fc.assert(
    fc.property(manyPlans, ([start, requests]) => {
      play(start, requests, ({ now, limits, before, after }) => {
        for (const window of ['minute', 'day'] as const) {
          const [used, resetAt] = [`${window}Used`, `${window}ResetAt`] as const
          const view = after.verdict[window]
          assert.ok(view !== null && view.remaining >= 0)
          assert.equal(view.limit, window === 'minute' ? limits.perMinute : limits.perDay)
          if (now >= before.usage[resetAt]) continue
          assert.equal(view.resetAt, before.usage[resetAt])
          assert.equal(view.used, before.usage[used] + (after.verdict.admitted ? 1 : 0))
        }
      })
    }),
  )
})

test('Retry-After is an integer, at least 1, never before the reset and at most the jitter after it', () => {
  fc.assert(
    fc.property(manyPlans, ([start, requests]) => {
      play(start, requests, ({ now, after: { verdict } }) => {
        if (verdict.admitted) return assert.equal(verdict.retryAfterSeconds, null)
        const seconds = verdict.retryAfterSeconds ?? assert.fail('no Retry-After')
        const untilReset = (verdict.shown.resetAt - now) / 1000
        const jitter = verdict.shown === verdict.day ? 300 : 3
        assert.ok(Number.isInteger(seconds) && seconds >= 1)
        assert.ok(seconds >= untilReset && seconds <= Math.ceil(untilReset) + jitter)
      })
    }),
  )
})

test('the window with less remaining is shown, or the one that rejected; of two, the one that ends later', () => {
  fc.assert(
    fc.property(manyPlans, ([start, requests]) => {
      play(start, requests, ({ after: { verdict } }) => {
        const { minute, day, shown, violated } = verdict
        assert.ok(day !== null)
        const rejecting = violated.map((window) => (window === 'minute' ? minute : day))
        assert.equal(rejecting.length > 0, !verdict.admitted)
        const least = Math.min(minute.remaining, day.remaining)
        const candidates = verdict.admitted
          ? [minute, day].filter(({ remaining }) => remaining === least)
          : rejecting
        assert.ok(candidates.some((window) => window === shown))
        assert.equal(shown.resetAt, Math.max(...candidates.map(({ resetAt }) => resetAt)))
      })
    }),
  )
})

test('setting the clock back by days locks nobody out', () => {
  const limits = { perMinute: 1, perDay: 1 }
  const { usage } = decide(nothingUsed, null, limits, 10 * day, 0)
  assert.equal(decide(usage, null, limits, 5 * day, 0).verdict.admitted, true)
})
