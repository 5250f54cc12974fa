import assert from 'node:assert/strict'
import { constants, DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { setImmediate as immediate } from 'node:timers/promises'
import { Kysely, sql } from 'kysely'
import { sqliteDialect } from './sqlite.ts'

interface Jobs {
  jobs: { id: number; state: string; due_at: number }
}

/** How often SQLite asks whether a query may read something, which it does when it plans one. */
function plannedReads(query: { sql: string; parameters: readonly unknown[] }): number[] {
  using database = new DatabaseSync(':memory:')
  database.exec('create table jobs (id integer primary key, state text, due_at integer)')
  database.exec(`create index jobs_due on jobs (due_at) where state = 'due'`)
  let asked = 0
  database.setAuthorizer(() => {
    asked++
    return constants.SQLITE_OK
  })
  const statement = database.prepare(query.sql)
  return [1, 2, 3].map(() => {
    statement.all(...(query.parameters as number[]))
    return asked
  })
}

test('a query is planned once, whatever its limit and the time are', async () => {
  await using db = new Kysely<Jobs>({ dialect: sqliteDialect(':memory:') })
  const due = db.selectFrom('jobs').selectAll().where('due_at', '<=', 7)
  const [first, ...later] = plannedReads(due.where('state', '=', sql.lit('due')).limit(5).compile())
  assert.ok(first)
  assert.deepEqual(later, [first, first])
})

test('a bound limit, or a bound value that an index is limited to, would be planned each time', () => {
  for (const [text, ...parameters] of [
    ['select * from jobs limit ?', 5],
    ['select * from jobs where due_at <= ? and state = ?', 7, 'due'],
  ] as const) {
    const [first = 0, second = 0, third = 0] = plannedReads({ sql: text, parameters })
    assert.ok(first < second && second < third, text)
  }
})

test('a long loop of transactions lets the event loop turn, and others get the connection meanwhile', async (t) => {
  await using db = new Kysely<Jobs>({ dialect: sqliteDialect(':memory:') })
  await sql`create table jobs (id integer primary key, state text, due_at integer)`.execute(db)
  let at = performance.now()
  t.mock.method(performance, 'now', () => {
    at += 4
    return at
  })
  const add = (id: number) =>
    db.transaction().execute((tx) => tx.insertInto('jobs').values({ id, state: 'due', due_at: 0 }).execute())
  const count = async () => (await db.selectFrom('jobs').selectAll().execute()).length
  const seenByOthers: number[] = []
  let isDone = false
  const others = (async () => {
    while (!isDone) {
      await immediate()
      seenByOthers.push(await count())
    }
  })()
  for (let id = 0; id < 30; id++) await add(id)
  isDone = true
  await others
  const meanwhile = seenByOthers.filter((seen) => seen > 0 && seen < 30)
  assert.ok(meanwhile.length >= 3, `others read ${meanwhile.length} times`)
})
