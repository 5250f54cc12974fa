import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { freePort } from '@masthead/testing/free-port.ts'
import { until } from '@masthead/testing/until.ts'
import type { Database } from '../../database/database.ts'
import { openDatabase } from '../../database/database.ts'
import { onEachDatabase } from '../../database/each-database.test-kit.ts'
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
