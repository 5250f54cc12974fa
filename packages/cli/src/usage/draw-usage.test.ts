import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Usage } from '@masthead/contract/schemas/usage.ts'
import { drawUsage } from './draw-usage.ts'

const now = Date.parse('2026-09-23T14:48:00Z')
const at = (seconds: number) => new Date(now + seconds * 1000).toISOString()

function usageOf(change: Partial<Usage> = {}): Usage {
  const counts = (length: number, requests: (index: number) => number) =>
    Array.from({ length }, (_, index) => ({
      start: '2026-08-25T00:00:00.000Z',
      requests: requests(index),
      rejected: 0,
    }))
  return {
    minute: { limit: 60, used: 23, remaining: 37, resetAt: at(12) },
    day: { limit: 1000, used: 812, remaining: 188, resetAt: at(9 * 3600 + 12 * 60) },
    storage: { limit: 1_000_000_000, used: 612_000_000, remaining: 388_000_000 },
    bans: [],
    keys: [],
    history: {
      minutes: counts(120, (index) => Math.floor(index / 2)),
      days: counts(30, (index) => index * 30),
    },
    ...change,
  }
}

const draw = (usage: Usage, width = 80) => drawUsage(usage, { now, width }, (_style, text) => text)

test('both windows, two hours and thirty days fit on an ordinary terminal', () => {
  const lines = draw(usageOf()).split('\n')
  assert.deepEqual(lines.slice(0, 5), [
    `This minute  ${'━'.repeat(7)}${'┄'.repeat(13)}  23 of 60 used, starts again in 12 s`,
    `Today        ${'━'.repeat(16)}${'┄'.repeat(4)}  812 of 1,000 used, starts again in 9 h 12 min`,
    `Storage      ${'━'.repeat(12)}${'┄'.repeat(8)}  612.0 MB of 1.0 GB used`,
    '',
    'Last two hours  the busiest minute had 59 requests',
  ])
  assert.ok(lines.includes('Last 30 days  the busiest day had 870 requests'))
  assert.ok(lines.some((line) => line.startsWith('   60 ▔')))
  assert.ok(lines.some((line) => line.startsWith('1,000 ▔')))
  assert.ok(lines.some((line) => /^ {6}2026-08-25 +today$/.test(line)))
  for (const line of lines) assert.ok(line.length <= 80, line)
})

test('a narrow terminal gets narrower charts, and the bar below its words', () => {
  const [minute, bar, ...others] = draw(usageOf(), 40).split('\n')
  assert.equal(minute, 'This minute: 23 of 60 used, starts again in 12 s')
  assert.equal(bar, `${'━'.repeat(9)}${'┄'.repeat(15)}`)
  for (const line of others.filter((text) => /[▔█]/.test(text))) assert.ok(line.length <= 40, line)
})

test('a ban tells how long it lasts, why, and what to do', () => {
  const ban = {
    keyId: 'key_1',
    keyName: 'ci',
    since: at(-60),
    until: at(239),
    violations: 131,
    nextBanSeconds: 900,
  } as const
  const text = draw(usageOf({ bans: [ban] }))
  assert.ok(
    text.endsWith(
      'The key ci is banned for 4 min more: it went on 131 times after being told to wait.\n' +
        'Stop what uses it until then, and let it wait as long as Retry-After says.',
    ),
  )
})

test('an empty history teaches, and this very request does not fill it', () => {
  const days = usageOf().history.days.map(({ start }, index) => ({
    start,
    requests: index === 29 ? 1 : 0,
    rejected: 0,
  }))
  const minutes = usageOf().history.minutes.map(({ start }) => ({ start, requests: 0, rejected: 0 }))
  const text = draw(usageOf({ history: { minutes, days } }))
  assert.match(text, /No requests before this one\..*\n.*masthead deploy \.\/some-folder$/)
  assert.ok(!text.includes('▔'))
})

test('two quiet hours are told in words', () => {
  const minutes = usageOf().history.minutes.map(({ start }, index) => ({
    start,
    requests: index === 119 ? 1 : 0,
    rejected: 0,
  }))
  const text = draw(usageOf({ history: { minutes, days: usageOf().history.days } }))
  assert.match(text, /Last two hours.*\nNothing but this very request\.\n/)
})
