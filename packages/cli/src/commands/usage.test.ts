import assert from 'node:assert/strict'
import { test } from 'node:test'
import { noTerminal } from '../../test/run-masthead.ts'
import { Refusal } from '../../test/stand-in-server.ts'
import { workplace } from '../../test/workplace.ts'

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
