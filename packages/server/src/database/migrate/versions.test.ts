import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '@masthead/testing/until.ts'
import { type Kysely, sql } from 'kysely'
import { type Database, type DatabaseLocation, openDatabase } from '../database.ts'
import { onEachDatabase } from '../each-database.test-kit.ts'
import type { DatabaseLog } from '../postgres.ts'
import type { Schema } from '../schema.ts'
import { contract, expand, type Migration } from './migration.ts'
import { migrations } from './migration-list.ts'

const silent = { warn: () => {} }

function run(...statements: string[]) {
  return () => ({
    async up(db: Kysely<Schema>): Promise<void> {
      for (const statement of statements) await sql.raw(statement).execute(db)
    },
  })
}

/** A release adds a column, the next one stops using the old one, and the one after it removes that. */
const addColumn = expand('9001-add', run(`alter table accounts add column motto text`))
const stopUsing = expand('9002-stop-using', run(`create table marker (id text)`))
const removeColumn = contract('9003-remove', run(`alter table accounts drop column motto`), '9002-stop-using')
const v1 = migrations
const v2 = [...v1, addColumn]
const v3 = [...v2, stopUsing]
const v4 = [...v3, removeColumn]

const open = (location: DatabaseLocation, known: readonly Migration[], log: DatabaseLog = silent) =>
  openDatabase(location, log, { migrations: known })

async function namesIn(database: Database): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select name from migrations where name > '9' order by name`.execute(database.read)
  return rows.map(({ name }) => name)
}

const addAccount = (database: Database, id: `acc_${string}`) =>
  database.write((tx) =>
    tx.insertInto('accounts').values({ id, name: 'A', plan: 'free', created_at: 1 }).execute(),
  )

onEachDatabase('two versions', ({ dialect, location, emptyLocation }) => {
  test('an older version keeps writing while a newer one expands, and starts again afterwards', async () => {
    await using where = await location()
    const old = await open(where, v1)
    await addAccount(old, 'acc_1')
    const next = await open(where, v2)
    await addAccount(old, 'acc_2')
    await addAccount(next, 'acc_3')
    await old.close()
    const again = await open(where, v1)
    await addAccount(again, 'acc_4')
    assert.equal((await next.read.selectFrom('accounts').selectAll().execute()).length, 4)
    await Promise.all([again.close(), next.close()])
  })

  test('a removal waits while a version that needs it runs, and happens once that has stopped', async () => {
    await using where = await location()
    const old = await open(where, v2)
    const between = await open(where, v3)
    const next = await open(where, v4)
    assert.deepEqual(await namesIn(next), ['9001-add', '9002-stop-using'])
    await sql`update accounts set motto = 'still here'`.execute(old.read)
    await next.close()
    await old.close()
    const last = await open(where, v4)
    assert.deepEqual(await namesIn(last), ['9001-add', '9002-stop-using', '9003-remove'])
    await between.close()
    // The version between does not use what was removed.
    await (await open(where, v3)).close()
    await assert.rejects(open(where, v2), /newer version of Masthead \(9003-remove\), which removed/)
    await last.close()
  })

  test('a removal does not wait for a version that was killed a minute ago', async () => {
    await using where = await location()
    const killed = await open(where, v2)
    await sql`update live_versions set seen_at = seen_at - 59000`.execute(killed.read)
    const early = await open(where, v4)
    assert.ok(!(await namesIn(early)).includes('9003-remove'))
    await early.close()
    await sql`update live_versions set seen_at = seen_at - 2000`.execute(killed.read)
    const late = await open(where, v4)
    assert.ok((await namesIn(late)).includes('9003-remove'))
    await late.close()
    await killed.close()
  })

  test('a removal that had to wait happens without a restart', async (t) => {
    t.mock.timers.enable({ apis: ['setInterval'] })
    await using where = await location()
    const old = await open(where, v2)
    const next = await open(where, v4)
    await old.close()
    await until(async () => {
      t.mock.timers.tick(20_000)
      return (await namesIn(next)).includes('9003-remove')
    })
    await next.close()
  })

  test('a migration outside a transaction can be interrupted and runs again', async () => {
    await using where = await location()
    const concurrently = dialect === 'postgres' ? 'concurrently' : ''
    let fails = true
    const steps = async (db: Kysely<Schema>) => {
      await sql.raw(`drop index ${concurrently} if exists by_name`).execute(db)
      await sql.raw(`create index ${concurrently} by_name on accounts (name)`).execute(db)
      if (fails) throw new Error('killed')
    }
    const byName = expand('9001-by-name', () => ({
      outsideTransaction: true,
      up: steps,
    }))
    await assert.rejects(open(where, [...v1, byName]), /killed/)
    fails = false
    const database = await open(where, [...v1, byName])
    assert.deepEqual(await namesIn(database), ['9001-by-name'])
    await database.close()
  })

  test('a new database gets all its tables or none', async () => {
    await using where = await emptyLocation()
    const failing = expand('9001-failing', run('create table half (id text)', 'not a statement'))
    await assert.rejects(open(where, [...v1, failing]), /syntax error/)
    const looked = await openDatabase(where, silent, { migrates: false })
    await assert.rejects(sql`select name from migrations`.execute(looked.read), /migrations/)
    await looked.close()
    await (await open(where, v1)).close()
  })

  test('a new database also gets what cannot be created in a transaction', async () => {
    await using where = await emptyLocation()
    const concurrently = dialect === 'postgres' ? 'concurrently' : ''
    const byName = expand('9001-by-name', () => ({
      outsideTransaction: true,
      async up(db: Kysely<Schema>) {
        await sql.raw(`create index ${concurrently} by_name on accounts (name)`).execute(db)
      },
    }))
    const database = await open(where, [...v1, byName, stopUsing])
    assert.deepEqual(await namesIn(database), ['9001-by-name', '9002-stop-using'])
    const { rows } = await sql<{ kind: string | null }>`select kind from migrations`.execute(database.read)
    assert.ok(rows.every(({ kind }) => kind === 'expand' || kind === 'contract'))
    await database.close()
  })

  test('a new database and one of an earlier release get the same indexes', async () => {
    const indexesAfter = async (...releases: (readonly Migration[])[]) => {
      await using where = await emptyLocation()
      for (const release of releases) await (await open(where, release)).close()
      const database = await openDatabase(where, silent, { migrates: false })
      const { rows } = await (dialect === 'postgres'
        ? sql`select pg_get_indexdef(indexrelid, 0, true) as sql, indisvalid from pg_index
              where indrelid in (select oid from pg_class where relnamespace = current_schema()::regnamespace)
              order by 1`
        : sql`select sql from sqlite_master where type = 'index' order by 1`
      ).execute(database.read)
      await database.close()
      return JSON.stringify(rows).replaceAll(/ ON \w+\./g, ' ON ')
    }
    const differsInNew = v1.findIndex(({ build }) => build(dialect).upInNew !== undefined)
    assert.ok(differsInNew > 0)
    const inNew = await indexesAfter(v1)
    assert.match(inNew, /events_of_project_by_kind/)
    assert.equal(await indexesAfter(v1.slice(0, differsInNew), v1), inNew)
  })

  // On SQLite, two connections of one process would wait for each other.
  if (dialect === 'postgres') {
    test('a running version removes what had to wait, and a paused one learns that it is too old', async (t) => {
      t.mock.timers.enable({ apis: ['setInterval'] })
      await using where = await location()
      const old = await open(where, v2)
      const next = await open(where, v4)
      const rowOfOld = async () => {
        const { rows } = await sql<{ id: string; seen_at: string }>`
          select id, seen_at from live_versions where newest_migration = '9001-add'`.execute(next.read)
        return rows[0] ?? assert.fail()
      }
      const before = await rowOfOld()
      t.mock.timers.tick(20_000)
      await until(async () => (await namesIn(next)).length === 2)
      await until(async () => (await rowOfOld()).seen_at !== before.seen_at)
      // Paused for so long that it seems to have ended.
      await sql`delete from live_versions where id = ${before.id}`.execute(next.read)
      const other = await open(where, v4)
      assert.ok((await namesIn(next)).includes('9003-remove'))
      t.mock.timers.tick(20_000)
      assert.match(await old.outdated, /Start that version or the one before it/)
      await Promise.all([old.close(), next.close(), other.close()])
    })

    test('versions that start together on an empty database agree', async () => {
      await using where = await emptyLocation()
      const versions = [v1, v2, v3, v4, v4]
      const started = await Promise.allSettled(versions.map((known) => open(where, known)))
      for (const [index, result] of started.entries()) {
        if (result.status === 'fulfilled') await result.value.close()
        // Those that need what is removed start before the removal, or not at all.
        else {
          assert.ok(index < versions.indexOf(v3), String(result.reason))
          assert.match(String(result.reason), /which removed what this version needs/)
        }
      }
      const last = await open(where, v4)
      assert.equal((await namesIn(last)).length, 3)
      await last.close()
    })

    test('a migration lets others use the table while it waits for a long transaction', async () => {
      await using where = await location()
      const old = await open(where, v1)
      const readers = await open(where, v1)
      const opened = Promise.withResolvers<Database>()
      const said: string[] = []
      const log = { warn: (_: object, message: string) => void said.push(message) }
      await old.write(async (tx) => {
        await tx.selectFrom('accounts').selectAll().execute()
        open(where, v2, log).then(opened.resolve, opened.reject)
        // Waits behind the migration, which gives up in time, again and again.
        await until(async () => {
          const { rows } = await sql`select 1 from pg_locks l join pg_class c on c.oid = l.relation
            where c.relname = 'accounts' and not granted`.execute(readers.read)
          return rows.length > 0
        })
        for (let n = 0; n < 3; n++) await readers.read.selectFrom('accounts').selectAll().execute()
        assert.deepEqual(await namesIn(readers), [])
        await until(() => said.length > 0)
      })
      const next = await opened.promise
      assert.deepEqual(await namesIn(next), ['9001-add'])
      assert.deepEqual(said, [
        'waiting for up to 5 minutes for other transactions to let go of tables that change',
      ])
      for (const database of [old, readers, next]) await database.close()
    })
  }
})
