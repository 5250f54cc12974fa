import assert from 'node:assert/strict'
import { test } from 'node:test'
import { visitHost } from '@masthead/testing/clients/visit.ts'
import { MastheadProcess } from '@masthead/testing/masthead-process.ts'
import { skipWithout } from '@masthead/testing/peers/peers.ts'
import { runSql, startPostgres } from '@masthead/testing/peers/postgres.ts'
import { until } from '@masthead/testing/until.ts'
import { followLog } from './read-log.ts'
import { readMetrics } from './read-metrics.ts'
import { createAccount } from './tenant.ts'

const requests = 600
const maxLines = 40
/** Every answer takes as long as its timeout. */
const hanging = { atMostMs: 120_000 }
const operatorKey = 'the operator key of this journey alone'

test('while PostgreSQL is down a stranger cannot fill the log, and one line says when it goes and when it is back', {
  skip: skipWithout('postgresql'),
  timeout: 300_000,
}, async () => {
  const postgres = await startPostgres()
  try {
    await using masthead = await MastheadProcess.start({ env: { DATABASE_URL: postgres.url } })
    const { lines, stopped, returned } = readLog(masthead)
    const isUp = async () => (await readMetrics(masthead)).sum('masthead_database_up')
    assert.equal(await isUp(), 1)

    await postgres.crash()
    assert.equal(await isUp(), 0)
    for (let sent = 0; sent < requests; sent += 20) {
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, index) => visitHost(masthead, `x${sent + index}.masthead.localhost`)),
      )
      for (const { status } of answers) assert.equal(status, 503)
    }
    await until(() => stopped().length > 0)
    const [line] = stopped()
    assert.match(line?.msg ?? '', /DATABASE_URL.*Check that it runs/)
    assert.match(line?.reason ?? '', /ECONNREFUSED/)

    await postgres.start()
    await until(() => returned().length > 0)
    await until(async () => (await isUp()) === 1)
    assert.ok((returned()[0]?.failures ?? 0) >= requests)
    assert.deepEqual([stopped().length, returned().length], [1, 1])
    assert.ok(lines().length <= maxLines, JSON.stringify(lines()))
  } finally {
    await postgres.stop()
  }
})

test('so it is with a PostgreSQL that no longer lets us in, or that is read-only', {
  skip: skipWithout('postgresql'),
  timeout: 300_000,
}, async () => {
  const postgres = await startPostgres()
  try {
    await runSql(postgres.url, 'create role app superuser login')
    const url = new URL(postgres.url)
    url.username = 'app'
    await using masthead = await MastheadProcess.start({ env: { DATABASE_URL: url.href } })
    const { key } = await createAccount(masthead, 'business')
    const create = (slug: string) =>
      fetch(`${masthead.origin}/v1/projects`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${key.secret}`, 'Content-Type': 'application/json' },
        body: JSON.stringify({ slug, name: slug }),
      })
    assert.equal((await create('first')).status, 201)
    for (const [index, { breaks, mends, reason }] of refusals.entries()) {
      const { lines, stopped, returned } = readLog(masthead)
      await runSql(postgres.url, `${breaks}; ${endConnections}`)
      for (let sent = 0; sent < 20; sent++) {
        const answer = await create(`refused-${index}`)
        assert.deepEqual([answer.status, answer.headers.has('Retry-After')], [503, true], breaks)
        await answer.body?.cancel()
      }
      assert.equal((await fetch(`${masthead.origin}/readyz`)).status, 503)
      await until(() => stopped().length > 0)
      assert.match(stopped()[0]?.reason ?? '', reason)
      await runSql(postgres.url, `${mends}; ${endConnections}`)
      await until(() => returned().length > 0)
      await until(async () => (await create(`accepted-${index}`)).status === 201)
      assert.ok(lines().length <= maxLines, JSON.stringify(lines()))
    }
  } finally {
    await postgres.stop()
  }
})

test('while PostgreSQL hangs, each process writes one line, and one when it goes on', {
  skip: skipWithout('postgresql'),
  timeout: 300_000,
}, async () => {
  const postgres = await startPostgres()
  try {
    const env = { DATABASE_URL: postgres.url, MASTHEAD_WORKERS: '2', MASTHEAD_OPERATOR_KEY: operatorKey }
    await using masthead = await MastheadProcess.start({ env })
    const { lines, stopped, returned } = readLog(masthead)
    const pids = await masthead.pids()
    await postgres.pause()
    const headers = { Authorization: `Bearer ${operatorKey}` }
    const health = Array.from({ length: 5 }, () =>
      fetch(`${masthead.origin}/v1/operator/health`, { headers }),
    )
    let sent = 0
    const visitMany = () =>
      Promise.all(Array.from({ length: 8 }, () => visitHost(masthead, `x${sent++}.masthead.localhost`)))
    await until(async () => {
      await visitMany()
      return stopped().length === pids.length
    }, hanging)
    await visitMany()
    assert.equal(lines().length, pids.length, JSON.stringify(lines()))
    await postgres.resume()
    await Promise.all(health)
    await until(() => returned().length === pids.length, hanging)
    for (const ofOutage of [stopped(), returned()]) {
      assert.deepEqual(new Set(ofOutage.map(({ pid }) => pid)), new Set(pids))
      assert.equal(ofOutage.length, pids.length)
    }
    assert.ok(lines().length <= maxLines, JSON.stringify(lines()))
  } finally {
    await postgres.stop()
  }
})

const endConnections = "select pg_terminate_backend(pid) from pg_stat_activity where usename = 'app'"

const refusals = [
  { breaks: 'alter role app nologin', mends: 'alter role app login', reason: /not permitted to log in/ },
  {
    breaks: 'alter role app set default_transaction_read_only = on',
    mends: 'alter role app reset default_transaction_read_only',
    reason: /read-only/,
  },
]

/** What the server logs from now on. */
function readLog(masthead: MastheadProcess) {
  const lines = followLog(masthead)
  const startingWith = (words: string) => () => lines().filter(({ msg }) => msg.startsWith(words))
  return {
    lines,
    stopped: startingWith('PostgreSQL cannot be used'),
    returned: startingWith('PostgreSQL can be used again'),
  }
}
