import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { skipWithout } from '@masthead/testing/peers/peers.ts'
import { type RunningRedis, startRedis } from '@masthead/testing/peers/redis.ts'
import fc from 'fast-check'
import { Redis } from 'ioredis'
import { day, minute, second } from '../../kernel/clock.ts'
import { initialBanState } from '../ban.ts'
import { type Decision, decide, decideWindows } from '../decide.ts'
import type { Limits } from '../policy.ts'
import { nothingUsed, openWindows } from '../usage.ts'
import {
  decideScript,
  readReply,
  scriptArguments,
  toScript,
  unknownAt,
  unpackBanState,
  unpackUsage,
} from './decide-script.ts'

const skip = skipWithout('redis')
let server: RunningRedis
let redis: Redis
let callers = 0

before(async () => {
  if (skip) return
  server = await startRedis()
  redis = new Redis(server.url)
})

after(async () => {
  redis?.disconnect()
  await server?.stop()
})

/** The script with a clock that the test sets. */
const clock = "redis.call('TIME')"
const { text } = decideScript()
const movable = toScript(text.replace(clock, '{ math.floor(ARGV[6] / 1000), ARGV[6] % 1000 * 1000 }'))

async function ask(caller: string, keyId: string | null, limits: Limits, now: number) {
  const reply = await redis.eval(movable.text, 1, caller, ...scriptArguments(limits, keyId, 0, 0), now)
  return readReply(reply as number[])
}

const bursts = fc.array(
  fc.record({
    requests: fc.oneof(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 90, max: 130 })),
    gap: fc.integer({ min: 0, max: 600 }),
    pause: fc.oneof(
      fc.integer({ min: 0, max: 3 * second }),
      fc.integer({ min: 0, max: 2 * minute }),
      fc.integer({ min: 0, max: 2 * day }),
    ),
    limits: fc.record({
      perMinute: fc.integer({ min: 0, max: 20 }),
      perDay: fc.option(fc.integer({ min: 0, max: 60 })),
    }),
  }),
  { minLength: 3, maxLength: 8 },
)

test('the script reads the clock where these tests replace it', () => assert.ok(text.includes(clock)))

for (const keyId of ['key_1', null]) {
  const who = keyId === null ? 'an address' : 'a key'
  test(`for ${who} the script makes the same decisions as decide.ts`, { skip }, async () => {
    let bans = 0
    const sameDecisions = fc.asyncProperty(bursts, async (schedule) => {
      // Ahead of the real clock, or stored values would expire immediately.
      let now = Date.now() + day
      let state: Pick<Decision, 'usage' | 'banState'> = { usage: nothingUsed, banState: null }
      const caller = `caller-${callers++}`
      for (const { requests, gap, pause, limits } of schedule) {
        now += pause
        for (let request = 0; request < requests; request++, now += gap) {
          const expected =
            keyId === null
              ? decideWindows(state.usage, limits, now, 0)
              : decide(state.usage, state.banState, limits, now, 0)
          const answer = await ask(caller, keyId, limits, now)
          const { admitted, banStarted } = expected.verdict
          assert.deepEqual([answer.admitted, answer.banStarted], [admitted, banStarted])
          assert.deepEqual(answer.usage, openWindows(expected.usage, now))
          if (!admitted) assert.deepEqual(answer.banState, expected.banState ?? initialBanState)
          if (banStarted) bans++
          state = expected
        }
      }
    })
    await fc.assert(sameDecisions, { numRuns: 40 })
    if (keyId !== null) assert.ok(bans > 0, 'no run led to a ban')
  })
}

test('stored values can be read back, and a rejection does not store the windows', { skip }, async () => {
  const now = Date.now() + day
  const limits = { perMinute: 1, perDay: 5 }
  const admitted = await ask('stored', 'key_1', limits, now)
  const windows = () => redis.hgetBuffer('stored', 'w')
  assert.deepEqual(unpackUsage((await windows()) ?? assert.fail()), admitted.usage)
  assert.deepEqual(await redis.hkeys('stored'), ['w'])
  const before = await windows()
  const rejected = await ask('stored', 'key_1', limits, now + 1)
  assert.equal(rejected.admitted, false)
  assert.deepEqual(await windows(), before)
  const banState = await redis.hgetBuffer('stored', 'key_1')
  assert.deepEqual(unpackBanState(banState ?? assert.fail()), rejected.banState)
})

test('everything expires: windows at their reset, a ban when its step is back at zero', {
  skip,
}, async () => {
  const script = decideScript()
  const send = (caller: string, keyId: string | null, limits: Limits, seen = 0) =>
    redis.eval(script.text, 1, caller, ...scriptArguments(limits, keyId, seen, 0))
  const expiry = async (caller: string) => Number(await redis.call('PEXPIRETIME', caller))
  const address = readReply((await send('expiry-a', null, { perMinute: 1, perDay: null })) as number[])
  assert.equal(await expiry('expiry-a'), address.usage.minuteResetAt)
  const limits = { perMinute: 1, perDay: 5 }
  const account = readReply((await send('expiry-b', 'key_1', limits)) as number[])
  const { minuteResetAt, dayResetAt } = account.usage
  assert.equal(await expiry('expiry-b'), Math.max(minuteResetAt, dayResetAt))
  await send('expiry-b', 'key_1', limits)
  const banned = readReply((await send('expiry-b', 'key_1', limits, 500)) as number[])
  assert.equal(banned.banStarted, true)
  assert.equal(await expiry('expiry-b'), (banned.banState?.bannedUntil ?? 0) + day)
})

test('a caller with a daily limit is not decided before its count in the database is known', {
  skip,
}, async () => {
  const limits = { perMinute: 10, perDay: 5 }
  const run = async (caller: string, counted: number | null, plan: Limits = limits) => {
    const reply = await redis.eval(text, 1, caller, ...scriptArguments(plan, 'key_1', 0, counted))
    return reply as number[]
  }
  assert.notEqual(unknownAt(await run('lost', null)), null)
  assert.deepEqual(await redis.hkeys('lost'), [])
  assert.equal(readReply(await run('lost', 4)).usage.dayUsed, 5)
  assert.equal(readReply(await run('lost', 0)).admitted, false)
  assert.equal(readReply(await run('lost', null)).admitted, false)
  assert.equal(readReply(await run('full', 5)).admitted, false)
  assert.equal(readReply(await run('no-day', null, { perMinute: 1, perDay: null })).admitted, true)
})
