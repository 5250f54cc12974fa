import assert from 'node:assert/strict'
import { test } from 'node:test'
import { day, minute } from '../kernel/clock.ts'
import { initialBanState } from './ban.ts'
import { decide, decideWindows } from './decide.ts'
import { exposedLimitHeaders, limitHeaders } from './headers.ts'
import { addressLimits } from './policy.ts'
import { nothingUsed } from './usage.ts'

const now = 1_794_787_200_001
const free = { perMinute: 60, perDay: 1_000 }
const usage = { minuteUsed: 60, minuteResetAt: now + 20_500, dayUsed: 588, dayResetAt: now + 30_109_001 }

test('an admitted request shows the window with less remaining, and both in the headers of the draft', () => {
  assert.deepEqual(limitHeaders(decide(nothingUsed, null, free, now, 0.5).verdict), {
    'x-ratelimit-limit': '60',
    'x-ratelimit-remaining': '59',
    'x-ratelimit-reset': String(Math.ceil((now + minute) / 1000)),
    'ratelimit-policy': '"minute";q=60;w=60, "day";q=1000;w=86400',
    ratelimit: `"minute";r=59;t=60, "day";r=999;t=${Math.ceil((day - (now % day)) / 1000)}`,
  })
})

test('a rejected request shows the window that rejected it, and when to retry', () => {
  assert.deepEqual(limitHeaders(decide(usage, null, free, now, 0.99).verdict), {
    'x-ratelimit-limit': '60',
    'x-ratelimit-remaining': '0',
    'x-ratelimit-reset': '1794787221',
    'ratelimit-policy': '"minute";q=60;w=60, "day";q=1000;w=86400',
    ratelimit: '"minute";r=0;t=21, "day";r=412;t=30110',
    'retry-after': '24',
  })
})

test('a banned key sees the end of its ban', () => {
  const banState = { ...initialBanState, bannedUntil: now + 90_000, step: 1 }
  const headers = limitHeaders(decide(nothingUsed, banState, free, now, 0.9).verdict)
  assert.equal(headers['x-ratelimit-remaining'], '0')
  assert.equal(headers['x-ratelimit-reset'], '1794787291')
  assert.equal(headers['retry-after'], '90')
})

test('a caller without a daily window sees only the minute', () => {
  const headers = limitHeaders(decideWindows(nothingUsed, addressLimits, now, 0).verdict)
  assert.equal(headers['ratelimit-policy'], '"minute";q=60;w=60')
  assert.equal(headers.ratelimit, '"minute";r=59;t=60')
})

test('counts of any size are written in full', () => {
  for (const remaining of [0, 7, 999, 1_000, 1_007, 99_999, 1_000_000, 10_000_070, 999_999_999, 2 ** 31]) {
    const { verdict } = decideWindows(nothingUsed, { perMinute: remaining + 1, perDay: null }, now, 0)
    const headers = limitHeaders(verdict)
    assert.equal(headers['x-ratelimit-remaining'], String(remaining))
    assert.equal(headers.ratelimit, `"minute";r=${remaining};t=60`)
  }
})

test('every header is exposed to browsers', () => {
  const names = Object.keys(limitHeaders(decide(usage, null, free, now, 0).verdict))
  assert.deepEqual(
    names,
    exposedLimitHeaders.map((name) => name.toLowerCase()),
  )
})
