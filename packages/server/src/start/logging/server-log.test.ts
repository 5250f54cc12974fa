import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { freePort } from '@masthead/testing/free-port.ts'
import { skipWithout } from '@masthead/testing/peers/peers.ts'
import { startPostgres } from '@masthead/testing/peers/postgres.ts'
import { until } from '@masthead/testing/until.ts'
import type { Database } from '../../database/database.ts'
import { openDatabase } from '../../database/database.ts'
import { migratedPostgres, onEachDatabase } from '../../database/each-database.test-kit.ts'
import { longRunningClient } from '../../database/postgres.ts'
import { minute } from '../../kernel/clock.ts'
import { openLog } from './server-log.ts'

interface Line {
  level: number
  msg: string
  leftOut?: number
  err?: { message: string }
}

function open(level: 'info' | 'debug' = 'info') {
  const lines: Line[] = []
  const log = openLog(level, () => ({
    write: (line) => void lines.push(JSON.parse(line) as Line),
    lostLines: 0,
  }))
  return { ...log, lines }
}

const missing = () => readFile('/no/such/file').catch((error: unknown) => error)
const unreachable = async () => {
  const url = `postgres://postgres@127.0.0.1:${await freePort()}/postgres`
  return openDatabase({ dialect: 'postgres', url }, { warn: () => {} }).catch((error: unknown) => error)
}

test('of a thousand lines of a kind the first are written, and the others are counted', async () => {
  const { log, lines, close } = open()
  const err = await missing()
  for (let i = 0; i < 1000; i++) log.error({ err, host: `x${i}.example` }, 'could not serve a site')
  assert.equal(lines.length, 10)
  close()
  const { level, msg, leftOut } = lines.at(-1) ?? assert.fail('no line')
  assert.deepEqual(
    { level, msg, leftOut },
    { level: 50, msg: 'could not serve a site (more lines like this were left out)', leftOut: 990 },
  )
})

test('a failure of another kind is written beside a flood with the same message', () => {
  const { log, lines } = open()
  const flood = new Error('flood')
  for (let i = 0; i < 50; i++) log.error({ err: flood }, 'a request failed')
  log.child({ reqId: 'req_1' }).error({ err: new TypeError('a bug') }, 'a request failed')
  assert.equal(lines.at(-1)?.err?.message, 'a bug')
})

test('at the level debug nothing is left out', () => {
  const { log, lines } = open('debug')
  for (let i = 0; i < 50; i++) log.warn({}, 'again')
  assert.equal(lines.length, 50)
})

onEachDatabase('while the database answers', ({ open: openOne }) => {
  test('a lost connection is written as it is, and is no outage', async () => {
    await using database: Database = await openOne()
    const { log, lines, watch, close } = open()
    watch(database)
    log.warn({ err: await unreachable() }, 'a PostgreSQL connection was lost')
    await until(() => lines.length > 0)
    close()
    assert.deepEqual(
      lines.map(({ msg }) => msg),
      ['a PostgreSQL connection was lost'],
    )
  })
})

test('if all connections wait for a lock, the log says so, and does not call it an outage', {
  skip: skipWithout('postgresql'),
}, async () => {
  await using location = await migratedPostgres()
  const database = await openDatabase(location, { warn: () => {} }, { migrates: false, queryTimeout: minute })
  const { log, lines, watch, close } = open()
  watch(database)
  const other = longRunningClient(location.url)
  await other.connect()
  await other.query('begin; lock table projects in access exclusive mode')
  const read = () => database.read.selectFrom('projects').select('id').execute()
  const waiting = Promise.all(Array.from({ length: 10 }, read))
  log.warn({ err: await unreachable() }, 'could not read the change feed')
  await until(() => lines.length > 0)
  await other.end()
  await waiting
  await until(() => lines.length > 1)
  close()
  await database.close()
  assert.match(lines[0]?.msg ?? '', /^PostgreSQL answers, but every connection .* waits for a lock/)
  assert.match(lines[1]?.msg ?? '', /^PostgreSQL can be used again/)
  assert.equal(lines.length, 2)
})

test('failures that a job reports together are part of an outage, unless one has another cause', {
  skip: skipWithout('postgresql'),
}, async () => {
  const server = await startPostgres({ durable: false })
  const location = { dialect: 'postgres', url: server.url } as const
  const database = await openDatabase(location, { warn: () => {} })
  const { log, lines, watch, close } = open()
  watch(database)
  await server.stop()
  const down = await unreachable()
  log.error({ err: new AggregateError([down, new AggregateError([down])]) }, 'a job failed')
  await until(() => lines.length > 0)
  log.error({ err: new AggregateError([down]) }, 'a job failed')
  log.error({ err: new AggregateError([down, new TypeError('a bug')]) }, 'a job has a bug')
  close()
  await database.close()
  assert.match(lines[0]?.msg ?? '', /^PostgreSQL cannot be used/)
  assert.deepEqual(
    lines.slice(1).map(({ msg }) => msg),
    ['a job has a bug'],
  )
})
