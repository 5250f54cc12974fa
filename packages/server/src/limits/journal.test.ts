import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'node:test'
import { setImmediate as immediate } from 'node:timers/promises'
import { until } from '@masthead/testing/until.ts'
import { sql } from 'kysely'
import { type Database, openDatabase } from '../database/database.ts'
import { onEachDatabase } from '../database/each-database.test-kit.ts'
import { day, hour, minute } from '../kernel/clock.ts'
import { initialBanState } from './ban.ts'
import { Journal } from './journal.ts'
import { RequestCounts, toRows } from './request-counts.ts'
import { addRequests } from './store.ts'

const silent = { warn: () => {} }
const noon = 30_000 * day + 12 * hour

function countsOf(database: Database, unit: 'minute' | 'day') {
  return database.read
    .selectFrom('request_counts')
    .select(['account_id', 'start', 'requests'])
    .where('unit', '=', unit)
    .orderBy('account_id')
    .orderBy('start')
    .execute()
}

test('requests are counted in the minute of their arrival, with a table row or without', () => {
  for (const rowOf of [(n: number) => n * 3_000, () => undefined]) {
    const counts = new RequestCounts()
    for (let n = 0; n < 10; n++) counts.add(`acc_${n % 2}`, noon + n * 15_000, rowOf(n % 2))
    const taken = counts
      .take()
      .map(({ accountId, start, requests }) => [accountId, (start - noon) / minute, requests])
    assert.deepEqual(taken, [
      ['acc_0', 0, 2],
      ['acc_1', 0, 2],
      ['acc_0', 1, 2],
      ['acc_1', 1, 2],
      ['acc_0', 2, 1],
      ['acc_1', 2, 1],
    ])
    assert.deepEqual(counts.take(), [])
  }
})

test('counts that are put back again and again take no more memory', () => {
  const counts = new RequestCounts()
  for (let flush = 0; flush < 100; flush++) {
    for (let n = 0; n < 10; n++) counts.add(`acc_${n}`, noon + Math.floor(flush / 50) * minute)
    counts.putBack(counts.take())
  }
  const kept = counts.take()
  assert.equal(kept.length, 20)
  assert.ok(kept.every(({ requests }) => requests === 50))
})

test('however long nothing can be written, memory is bounded, and the requests of a day add up', () => {
  const counts = new RequestCounts()
  for (let at = noon - 6 * hour; at < noon; at += minute) {
    for (let n = 0; n < 200; n++) counts.add(`acc_${n}`, at)
    counts.putBack(counts.take())
  }
  const kept = counts.take()
  assert.ok(kept.length <= 50_000, `${kept.length} were kept`)
  const perDay = toRows(kept).filter(({ unit }) => unit === 'day')
  assert.equal(perDay.length, 200)
  assert.ok(perDay.every(({ requests }) => requests === 360))
  counts.putBack(
    Array.from({ length: 60_000 }, (_, n) => ({ accountId: `acc_${n}`, start: noon, requests: 1 })),
  )
  assert.equal(counts.take().length, 50_000)
})

test('two minutes of one account become one row for the day', () => {
  const rows = toRows([
    { accountId: 'b', start: noon, requests: 1 },
    { accountId: 'a', start: noon, requests: 2 },
    { accountId: 'a', start: noon + minute, requests: 3 },
  ])
  assert.deepEqual(
    rows.map(({ account_id, unit, requests }) => `${account_id} ${unit} ${requests}`),
    ['a day 5', 'a minute 2', 'a minute 3', 'b day 1', 'b minute 1'],
  )
})

onEachDatabase('the journal', ({ open, location }) => {
  test('counts of several processes add up, for thousands of accounts', async () => {
    await using database = await open()
    const context = { database, now: () => noon }
    const journals = [new Journal(context, silent), new Journal(context, silent)]
    for (const journal of journals) {
      for (let n = 0; n < 3_000; n++) journal.counts.add(`acc_${n % 1_500}`, noon)
    }
    await Promise.all(journals.map((journal) => journal.close()))
    for (const unit of ['minute', 'day'] as const) {
      const rows = await countsOf(database, unit)
      assert.equal(rows.length, 1_500)
      assert.ok(rows.every(({ requests }) => requests === 4))
    }
  })

  test('keys are counted per day, rejections per minute and day, and neither counts against a limit', async () => {
    await using database = await open()
    const context = { database, now: () => noon }
    const journals = [new Journal(context, silent), new Journal(context, silent)]
    for (const journal of journals) {
      for (let n = 0; n < 3; n++) {
        journal.counts.add('acc_a', noon, 0)
        journal.countKey('key_1', noon)
        journal.countRejection('acc_a', noon - minute)
      }
      journal.countKey('key_2', noon - day)
    }
    await Promise.all(journals.map((journal) => journal.close()))
    const journal = new Journal(context, silent)
    assert.deepEqual(await journal.requestsToday(), [{ accountId: 'acc_a', requests: 6 }])
    assert.deepEqual([...(await journal.requestsOfKeys(['key_1', 'key_2', 'key_3']))], [['key_1', 6]])
    const { minutes, days } = await journal.history('acc_a')
    assert.deepEqual(minutes.slice(-2), [
      { start: noon - minute, requests: 0, rejected: 6 },
      { start: noon, requests: 6, rejected: 0 },
    ])
    assert.deepEqual(days.at(-1), { start: noon - 12 * hour, requests: 6, rejected: 6 })
    const stored = await countsOf(database, 'minute')
    assert.ok(!stored.some(({ account_id }) => account_id.includes('key_')))
    await journal.close()
  })

  test('counts that cannot be written are kept, logged once, and written later', async () => {
    await using database = await open()
    const warnings: string[] = []
    const log = { warn: (_: object, message: string) => warnings.push(message) }
    const journal = new Journal({ database, now: () => noon }, log)
    await database.write((tx) => sql`alter table request_counts rename to hidden`.execute(tx))
    journal.counts.add('acc_a', noon)
    journal.recordBan('acc_a', 'key_1', { ...initialBanState, bannedUntil: noon + hour, step: 2 })
    await assert.rejects(journal.flush())
    journal.counts.add('acc_a', noon)
    await assert.rejects(journal.flush())
    await database.write((tx) => sql`alter table hidden rename to request_counts`.execute(tx))
    await journal.close()
    assert.equal(warnings.length, 1)
    assert.deepEqual(
      (await countsOf(database, 'day')).map(({ requests }) => requests),
      [2],
    )
    assert.equal((await journal.bannedKeys()).get('key_1')?.step, 2)
  })

  test('however many wait for a write that gets no answer, they share the next one', async () => {
    await using database = await open()
    const journal = new Journal({ database, now: () => noon }, silent)
    const { writeUnsynced } = database
    const unanswered = Promise.withResolvers<never>()
    let tries = 0
    database.writeUnsynced = () => {
      tries++
      return unanswered.promise
    }
    journal.counts.add('acc_a', noon)
    const first = journal.flush()
    await immediate()
    const waiting = Array.from({ length: 20 }, () => journal.flush())
    unanswered.reject(new Error('no answer'))
    const results = await Promise.allSettled([first, ...waiting])
    assert.ok(results.every(({ status }) => status === 'rejected'))
    assert.equal(tries, 2)
    database.writeUnsynced = writeUnsynced
    await journal.close()
    assert.deepEqual(
      (await countsOf(database, 'day')).map(({ requests }) => requests),
      [1],
    )
  })

  test('minutes are kept for two hours, days for thirty days, bans until their step is back at zero', async () => {
    await using database = await open()
    const clock = { at: noon }
    const write = async (keyId: string) => {
      const journal = new Journal({ database, now: () => clock.at }, silent)
      journal.counts.add('acc_a', clock.at)
      journal.recordBan('acc_a', keyId, { ...initialBanState, bannedUntil: clock.at, step: 5 })
      await journal.close()
    }
    await write('key_1')
    clock.at += 3 * hour
    await write('key_2')
    assert.deepEqual(
      (await countsOf(database, 'minute')).map(({ start }) => start),
      [clock.at],
    )
    assert.equal((await countsOf(database, 'day')).length, 1)
    clock.at += 31 * day
    await write('key_3')
    assert.equal((await countsOf(database, 'day')).length, 1)
    const journal = new Journal({ database, now: () => clock.at }, silent)
    assert.deepEqual([...(await journal.bannedKeys()).keys()], ['key_3'])
    await journal.close()
  })

  test('old counts are deleted in batches, one with each write', async () => {
    await using database = await open()
    const old = Array.from({ length: 1_250 }, (_, n) => ({
      account_id: `acc_${n}`,
      unit: 'minute' as const,
      start: noon - 3 * hour,
      requests: 1,
    }))
    await database.write((tx) => addRequests(tx, old))
    const clock = { at: noon }
    const journal = new Journal({ database, now: () => clock.at }, silent)
    const left: number[] = []
    for (let flush = 0; flush < 4; flush++) {
      await journal.flush()
      left.push((await countsOf(database, 'minute')).length)
    }
    assert.deepEqual(left, [750, 250, 0, 0])
    await database.write((tx) => addRequests(tx, old))
    await journal.flush()
    assert.equal((await countsOf(database, 'minute')).length, 1_250)
    clock.at += hour
    await journal.close()
    assert.equal((await countsOf(database, 'minute')).length, 750)
  })

  test('counts are written automatically, and a killed process loses nothing that was written', async () => {
    await using where = await location()
    const program = `
      import { openDatabase } from ${JSON.stringify(import.meta.resolve('../database/database.ts'))}
      import { Journal } from ${JSON.stringify(import.meta.resolve('./journal.ts'))}
      import { createMemoryLimiter } from ${JSON.stringify(import.meta.resolve('./memory-limiter.ts'))}
      const [location] = await new Promise((resolve) => process.once('message', (...args) => resolve(args)))
      const now = () => ${noon}
      const database = await openDatabase(location, console)
      const limiter = await createMemoryLimiter({ journal: new Journal({ database, now }, console), now })
      const limits = { perMinute: 1e6, perDay: 1e6 }
      process.on('message', (count) => {
        for (let n = 0; n < count; n++) limiter.check({ accountId: 'acc_a', keyId: 'key_1', limits })
        process.send('counted')
      })
      process.send('ready')`
    const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    })
    child.send({ ...where })
    await once(child, 'message')
    child.send(500)
    await once(child, 'message')
    const database = await openDatabase(where, silent)
    const written = async () => (await countsOf(database, 'day'))[0]?.requests ?? 0
    await until(async () => (await written()) >= 500)
    child.send(70)
    await once(child, 'message')
    child.kill('SIGKILL')
    await once(child, 'exit')
    const kept = await written()
    await database.close()
    assert.ok(kept === 500 || kept === 570, `${kept} were kept`)
  })
})
