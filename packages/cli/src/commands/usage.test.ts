import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Usage } from '@masthead/contract/schemas/usage.ts'
import { noTerminal } from '../../test/run-masthead.ts'
import { Refusal } from '../../test/stand-in-server.ts'
import { workplace } from '../../test/workplace.ts'
import { drawUsage } from './usage.ts'

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

const inSeconds = (seconds: number) => new Date(Date.now() + seconds * 1000).toISOString()

function usageNow() {
  const counts = (length: number, requests: number) =>
    Array.from({ length }, () => ({ start: '2026-08-25T00:00:00.000Z', requests }))
  return {
    minute: { limit: 60, used: 60, remaining: 0, resetAt: inSeconds(30) },
    day: { limit: 1000, used: 412, remaining: 588, resetAt: inSeconds(9000) },
    storage: { limit: 1e9, used: 5e8, remaining: 5e8 },
    bans: [{ keyId: 'key_1', keyName: 'ci', since: inSeconds(-61), until: inSeconds(239), violations: 131 }],
    history: { minutes: counts(120, 30), days: counts(30, 500) },
  }
}

test('usage is drawn on standard output, plain where nobody watches', async () => {
  await using place = await workplace()
  place.server.instead.getUsage = usageNow
  const { exitCode, stdout, stderr } = await place.run('usage')
  assert.equal(exitCode, 0, stderr)
  assert.equal(stderr, '')
  assert.match(stdout, /^This minute {2}━{20} {2}60 of 60 used, starts again in (30|29) s$/m)
  assert.match(
    stdout,
    /^The key ci is banned for 4 min more: it went on 131 times after being told to wait\.$/m,
  )
  assert.ok(!stdout.includes('\x1b'))
})

test('at a terminal a used-up window is red', { skip: noTerminal }, async () => {
  await using place = await workplace()
  place.server.instead.getUsage = usageNow
  const { stdout } = await place.atTerminal('usage')
  assert.ok(stdout.includes(`\x1b[31m${'━'.repeat(20)}\x1b[39m`), stdout)
})

test('with --json the answer itself is printed', async () => {
  await using place = await workplace()
  const answer = usageNow()
  place.server.instead.getUsage = () => answer
  assert.deepEqual(JSON.parse((await place.run('usage --json')).stdout), answer)
})

test('a used-up minute is waited for, told once, and then answered', async () => {
  await using place = await workplace()
  place.server.retryAfter = 2
  let asked = 0
  place.server.instead.getUsage = () => {
    if (asked++ > 0) return usageNow()
    throw new Refusal('rate_limited', 'All 60 requests of this minute are used. They start again in 2 s.')
  }
  const { exitCode, stderr } = await place.run('usage')
  assert.equal(exitCode, 0)
  assert.equal(stderr, 'All 60 requests of this minute are used. Going on in 2 s.\n')
})

test('a used-up day ends the command and says when to come back', async () => {
  await using place = await workplace()
  place.server.retryAfter = 26_000
  place.server.instead.getUsage = () => {
    throw new Refusal('rate_limited', 'All 1,000 requests of the day are used.')
  }
  const { exitCode, stderr } = await place.run('usage')
  assert.equal(exitCode, 1)
  assert.equal(stderr, 'All 1,000 requests of the day are used.\nTry again in 7 h 14 min.\n')
  assert.equal(place.server.count('getUsage'), 1)
})

test('a banned key ends the command at once, however short the ban is', async () => {
  await using place = await workplace()
  place.server.retryAfter = 3
  place.server.instead.getUsage = () => {
    throw new Refusal('key_banned', 'The key went on 131 times after being told to wait.')
  }
  const { exitCode, stderr } = await place.run('usage')
  assert.equal(exitCode, 1)
  assert.match(stderr, /\nStop whatever else uses this key, and come back in 3 s\.\n$/)
  assert.equal(place.server.count('getUsage'), 1)
})
