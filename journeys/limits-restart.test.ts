import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createClient } from '@masthead/client/client.ts'
import { awayFromMidnight } from '@masthead/testing/away-from-midnight.ts'
import { requestUntil } from '@masthead/testing/clients/request-until.ts'
import { MastheadProcess } from '@masthead/testing/masthead-process.ts'
import { skipWithout } from '@masthead/testing/peers/peers.ts'
import { postgresSchema } from '@masthead/testing/peers/postgres.ts'
import { createAccount, type NewAccount, operatorClient } from './tenant.ts'

const second = 1000

const start = (env: Record<string, string>) =>
  MastheadProcess.start({ env: { MASTHEAD_LOG: 'warn', ...env } })

const ask = (masthead: MastheadProcess, key: string) =>
  fetch(`${masthead.origin}/v1/whoami`, { headers: { authorization: `Bearer ${key}` } })

const usageOf = (masthead: MastheadProcess, key: string) =>
  createClient({ server: masthead.origin, key }).getUsage()

/** An account whose first key is banned, and a second key with requests left. */
async function accountWithBan(masthead: MastheadProcess): Promise<NewAccount & { other: string }> {
  const account = await createAccount(masthead, 'free')
  const client = createClient({ server: masthead.origin, key: account.key.secret })
  const { secret: other } = await client.createKey({ body: { name: 'other' } })
  await requestUntil('key_banned', { origin: masthead.origin, key: account.key.secret })
  // The minute is used up for the whole account, so give it a larger plan.
  const operator = await operatorClient(masthead)
  await operator.setAccountPlan({ params: { account: account.id }, body: { plan: 'pro' } })
  return { ...account, other }
}

async function restartCleanly(env: Record<string, string>): Promise<void> {
  await awayFromMidnight()
  await using masthead = await start(env)
  const { key, other } = await accountWithBan(masthead)
  const quiet = await createAccount(masthead, 'pro')
  for (let sent = 0; sent < 123; sent++) await ask(masthead, quiet.key.secret)
  const before = await usageOf(masthead, other)

  await masthead.restart('SIGTERM')

  const again = await usageOf(masthead, other)
  assert.equal(before.bans.length, 1)
  assert.deepEqual(again.bans, before.bans)
  assert.equal(again.day.used, before.day.used + 1)
  assert.equal((await usageOf(masthead, quiet.key.secret)).day.used, 124)
  const refused = (await (await ask(masthead, key.secret)).json()) as Record<string, unknown>
  assert.deepEqual([refused.code, refused.bannedUntil], ['key_banned', before.bans[0]?.until])
}

/** Sends a hundred requests a second until the server is gone, and returns when they were answered. */
async function keepAsking(masthead: MastheadProcess, key: string): Promise<number[]> {
  const answered: number[] = []
  try {
    for (;;) {
      const { status } = await ask(masthead, key)
      assert.equal(status, 200)
      answered.push(Date.now())
      await sleep(5)
    }
  } catch (error) {
    assert.ok(error instanceof TypeError, String(error))
    return answered
  }
}

async function kill(rounds: number, env: Record<string, string>): Promise<{ asked: number; lost: number }> {
  await awayFromMidnight()
  await using masthead = await start(env)
  const banned = await accountWithBan(masthead)
  const total = { asked: 0, lost: 0 }
  for (let round = 0; round < rounds; round++) {
    const { id, key } = await createAccount(masthead, 'enterprise')
    const limits = { perMinute: 1_000_000, perDay: 1_000_000 }
    const plan = { plan: 'enterprise', limits } as const
    await (await operatorClient(masthead)).setAccountPlan({ params: { account: id }, body: plan })
    const bans = (await usageOf(masthead, banned.other)).bans
    const asking = keepAsking(masthead, key.secret)
    await sleep(1.2 * second + Math.random() * 1.5 * second)
    const killedAt = Date.now()
    await masthead.kill('SIGKILL')
    const answered = await asking
    await masthead.restart()

    const kept = (await usageOf(masthead, key.secret)).day.used - 1
    const old = answered.filter((at) => at < killedAt - second).length
    assert.ok(kept >= old, `${kept} of ${old} that were a second old, ${answered.length} in all`)
    // One more may have been counted without a response.
    assert.ok(kept <= answered.length + 1, `${kept} of ${answered.length}`)
    assert.deepEqual((await usageOf(masthead, banned.other)).bans, bans)
    total.asked += answered.length
    total.lost += answered.length - kept
  }
  return total
}

describe('limits of a server that is one process', { timeout: 300_000, concurrency: 2 }, () => {
  test('a clean restart keeps day counts and bans exactly, on SQLite', () => restartCleanly({}))

  test('a kill costs at most the last second of counts, and no ban, on SQLite', async (t) => {
    const { asked, lost } = await kill(4, {})
    t.diagnostic(`${lost} of ${asked} counts were lost`)
    assert.ok(asked > 100)
  })

  const skip = skipWithout('postgresql')
  test('a clean restart keeps day counts and bans exactly, on PostgreSQL', { skip }, async () => {
    await using schema = await postgresSchema()
    await restartCleanly({ DATABASE_URL: schema.url })
  })

  test('a kill costs at most the last second of counts, and no ban, on PostgreSQL', { skip }, async (t) => {
    await using schema = await postgresSchema()
    const { asked, lost } = await kill(2, { DATABASE_URL: schema.url })
    t.diagnostic(`${lost} of ${asked} counts were lost`)
    assert.ok(asked > 100)
  })
})
