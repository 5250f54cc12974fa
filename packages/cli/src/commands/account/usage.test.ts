import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Usage } from '@masthead/contract/schemas/usage.ts'
import { requestUntil } from '@masthead/testing/clients/request-until.ts'
import { noTerminal, type Run } from '../../../test/run-masthead.ts'
import { serverForFile, type TestAccount, type TestServer } from '../../../test/test-server.ts'
import { createWorkplace, type Workplace } from '../../../test/workplace.ts'
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
    `This minute  ${'━'.repeat(9)}${'┄'.repeat(15)}  23 of 60 used, resets in 12 s`,
    `Today        ${'━'.repeat(19)}${'┄'.repeat(5)}  812 of 1,000 used, resets in 9 h 12 min`,
    `Storage      ${'━'.repeat(14)}${'┄'.repeat(10)}  612.0 MB of 1.0 GB used`,
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
  assert.equal(minute, 'This minute: 23 of 60 used, resets in 12 s')
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
      'The key ci is banned for another 4 min: it ignored the limit 131 times.\n' +
        'Stop whatever uses it until then, and make it wait as long as Retry-After says.',
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
  assert.match(text, /Last two hours.*\nOnly this request\.\n/)
})

const server = serverForFile({ prepare: startWaiting })

/** 59 of 60 requests are used, and the key "ci" is banned. */
async function busyAccount(): Promise<TestAccount> {
  const account = await server().limitedAccount({ perMinute: 2, perDay: 1000 })
  const { secret } = await account.client.createKey({ body: { name: 'ci' } })
  await requestUntil('key_banned', { origin: server().origin, key: secret })
  await server().setLimits(account, { perMinute: 60, perDay: 1000 })
  while ((await account.client.getUsage()).minute.used < 59);
  return account
}

// The server's minute is a real one: what waits for it starts first, and is looked at last.
let waiting: { usage: Promise<Run>; deploy: Promise<Run>; places: Workplace[] }

async function startWaiting(server: TestServer): Promise<void> {
  const limits = { perMinute: 60, perDay: 1000 }
  const accounts = await Promise.all([server.limitedAccount(limits), server.limitedAccount(limits)])
  const [first, second] = accounts
  await requestUntil('rate_limited', { origin: server.origin, key: first.key })
  const place = await createWorkplace(server, {}, first)
  const large = { 'busy/index.html': 'a'.repeat(300_000), 'busy/b.txt': 'b'.repeat(300_000) }
  const deploying = await createWorkplace(server, large, second)
  deploying.proxy.after.createDeployment = () =>
    requestUntil('rate_limited', { origin: server.origin, key: second.key })
  const deploy = noTerminal ? deploying.run('deploy busy') : deploying.atTerminal('deploy busy')
  waiting = { usage: place.run('usage'), deploy, places: [place, deploying] }
}

test('usage is drawn on standard output, plain where nobody watches', async () => {
  await using place = await createWorkplace(server(), {}, await busyAccount())
  const { exitCode, stdout, stderr } = await place.run('usage')
  assert.equal(exitCode, 0, stderr)
  assert.equal(stderr, '')
  assert.match(stdout, /^This minute {2}━{20,} {2}60 of 60 used, resets in \d+ s$/m)
  assert.match(stdout, /^The key ci is banned for another 5 min: it ignored the limit \d+ times\.$/m)
  assert.ok(!stdout.includes('\x1b'))
})

test('at a terminal a used-up window is red', { skip: noTerminal }, async () => {
  await using place = await createWorkplace(server(), {}, await busyAccount())
  const { stdout } = await place.atTerminal('usage')
  const bar = /━{20,}/.exec(stdout)?.[0]
  assert.ok(stdout.includes(`\x1b[31m${bar}\x1b[39m  60 of 60`), stdout)
})

test('with --json the answer itself is printed', async () => {
  await using place = await createWorkplace(server())
  const answers: unknown[] = []
  place.proxy.after.getUsage = (usage) => answers.push(usage)
  const printed: Usage = JSON.parse((await place.run('usage --json')).stdout)
  assert.deepEqual([printed], answers)
  assert.equal(printed.minute.limit, 1000)
})

test('a used-up day ends the command and says when to come back', async () => {
  const account = await server().limitedAccount({ perMinute: 60, perDay: 3 })
  await requestUntil('rate_limited', { origin: server().origin, key: account.key })
  await using place = await createWorkplace(server(), {}, account)
  const { exitCode, stderr } = await place.run('usage')
  assert.equal(exitCode, 1)
  assert.match(stderr, /^You've used all 3 requests today\..*\nTry again in (\d+ h( \d+ min)?|\d+ min)\.\n$/)
  assert.equal(place.proxy.count('getUsage'), 1)
})

test('a banned key ends the command at once', async () => {
  const account = await server().limitedAccount({ perMinute: 2, perDay: 1000 })
  await requestUntil('key_banned', { origin: server().origin, key: account.key })
  await using place = await createWorkplace(server(), {}, account)
  const { exitCode, stderr } = await place.run('usage')
  assert.equal(exitCode, 1)
  assert.match(stderr, /\nStop whatever else uses this key, and try again in [45] min\.\n$/)
  assert.equal(place.proxy.count('getUsage'), 1)
})

test('a used-up minute is waited for, told once, and then answered', async () => {
  const { exitCode, stderr } = await waiting.usage
  assert.equal(exitCode, 0, stderr)
  assert.match(stderr, /^You've used all 60 requests this minute\. Retrying in \d+ s\.\n$/)
  const [place] = waiting.places
  assert.equal(place?.proxy.count('getUsage'), 2)
})

test('requests that wait together are told of once, clear of the progress line', {
  skip: noTerminal,
}, async () => {
  const { exitCode, stdout } = await waiting.deploy
  assert.equal(exitCode, 0, stdout)
  const [, deploying] = waiting.places
  assert.equal(deploying?.proxy.count('putFile'), 4)
  const notes = [...stdout.matchAll(/You've used all 60 requests this minute\. Retrying in \d+ s\./g)]
  assert.equal(notes.length, 1, stdout)
  assert.ok(stdout.includes(`\r\x1b[2K${notes[0]?.[0]}`), stdout)
  for (const place of waiting.places) await place[Symbol.asyncDispose]()
})
