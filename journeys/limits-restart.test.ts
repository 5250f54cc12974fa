import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createClient } from '@masthead/client/client.ts'
import { awayFromMidnight } from '@masthead/testing/away-from-midnight.ts'
import { OpenConnection } from '@masthead/testing/clients/open-connection.ts'
import { requestUntil } from '@masthead/testing/clients/request-until.ts'
import { MastheadProcess } from '@masthead/testing/masthead-process.ts'
import { skipWithout } from '@masthead/testing/peers/peers.ts'
import { type PostgresSchema, postgresSchema } from '@masthead/testing/peers/postgres.ts'
import { createAccount, type NewAccount, operatorClient } from './tenant.ts'

const second = 1000

const start = (env: Record<string, string>) =>
  MastheadProcess.start({ env: { MASTHEAD_LOG: 'warn', ...env } })

async function connect({ origin }: MastheadProcess, key: string) {
  const { host, port } = new URL(origin)
  const connection = await OpenConnection.to(Number(port))
  return {
    ask: () => connection.send('GET', host, '/v1/whoami', { authorization: `Bearer ${key}` }),
    [Symbol.dispose]: () => connection[Symbol.dispose](),
  }
}

const usageOf = (masthead: MastheadProcess, key: string) =>
  createClient({ server: masthead.origin, key }).getUsage()

/** Its first key is banned, and a second one has requests left. */
interface AccountWithBan extends NewAccount {
  other: string
}

async function accountWithBan(masthead: MastheadProcess): Promise<AccountWithBan> {
  const account = await createAccount(masthead, 'free')
  const client = createClient({ server: masthead.origin, key: account.key.secret })
  const { secret: other } = await client.createKey({ body: { name: 'other' } })
  await requestUntil('key_banned', { origin: masthead.origin, key: account.key.secret })
  // The minute is used up for the whole account, so give it a larger plan.
  const operator = await operatorClient(masthead)
  await operator.setAccountPlan({ params: { account: account.id }, body: { plan: 'pro' } })
  return { ...account, other }
}

async function restartCleanly(masthead: MastheadProcess, { key, other }: AccountWithBan): Promise<void> {
  await awayFromMidnight()
  const quiet = await createAccount(masthead, 'pro')
  {
    using caller = await connect(masthead, quiet.key.secret)
    for (let sent = 0; sent < 123; sent++) await caller.ask()
  }
  const expected = await usageOf(masthead, other)

  await masthead.restart('SIGTERM')

  const again = await usageOf(masthead, other)
  assert.equal(expected.bans.length, 1)
  assert.deepEqual(again.bans, expected.bans)
  assert.equal(again.day.used, expected.day.used + 1)
  assert.equal((await usageOf(masthead, quiet.key.secret)).day.used, 124)
  using caller = await connect(masthead, key.secret)
  const refused = JSON.parse((await caller.ask()).body)
  assert.deepEqual([refused.code, refused.bannedUntil], ['key_banned', expected.bans[0]?.until])
}

/** Sends a hundred requests a second until the server is gone, and returns when they were answered. */
async function keepAsking(masthead: MastheadProcess, key: string): Promise<number[]> {
  using caller = await connect(masthead, key)
  const answered: number[] = []
  try {
    for (;;) {
      const { status } = await caller.ask()
      assert.equal(status, 200)
      answered.push(Date.now())
      await sleep(8)
    }
  } catch (error) {
    assert.match(String(error), /closed|ECONNRESET|EPIPE/)
    return answered
  }
}

async function killAgainAndAgain(
  rounds: number,
  masthead: MastheadProcess,
  banned: AccountWithBan,
): Promise<{ asked: number; lost: number }> {
  await awayFromMidnight()
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
  const databases = [
    { name: 'SQLite', kills: 4, skip: false },
    { name: 'PostgreSQL', kills: 2, skip: skipWithout('postgresql') },
  ]
  for (const { name, kills, skip } of databases) {
    describe(name, { skip, concurrency: 1 }, () => {
      let schema: PostgresSchema | undefined
      let masthead: MastheadProcess
      let banned: AccountWithBan
      before(async () => {
        if (name === 'PostgreSQL') schema = await postgresSchema()
        masthead = await start(schema === undefined ? {} : { DATABASE_URL: schema.url })
        banned = await accountWithBan(masthead)
      })
      after(async () => {
        await masthead.stop()
        await schema?.drop()
      })

      test(`a clean restart keeps day counts and bans exactly, on ${name}`, () =>
        restartCleanly(masthead, banned))

      test(`a kill costs at most the last second of counts, and no ban, on ${name}`, async (t) => {
        const { asked, lost } = await killAgainAndAgain(kills, masthead, banned)
        t.diagnostic(`${lost} of ${asked} counts were lost`)
        assert.ok(asked > 100)
      })
    })
  }
})
