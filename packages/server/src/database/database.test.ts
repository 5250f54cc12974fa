import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { skipWithout } from '@masthead/testing/peers/peers.ts'
import { startPostgres } from '@masthead/testing/peers/postgres.ts'
import { temporaryFolder } from '@masthead/testing/temporary-folder.ts'
import { sql } from 'kysely'
import { type DatabaseLocation, lock, openDatabase, type Reader, type Tx } from './database.ts'
import { onEachDatabase } from './each-database.test-kit.ts'

const addAccount = (tx: Tx, id: string, createdAt = 1) =>
  tx
    .insertInto('accounts')
    .values({
      id: `acc_${id}`,
      name: id,
      plan: 'free',
      limit_per_minute: null,
      limit_per_day: null,
      created_at: createdAt,
    })
    .execute()

onEachDatabase('the database', ({ dialect, open }) => {
  test('a failed transaction leaves nothing behind, and fails with its own error', async () => {
    await using database = await open()
    const mine = new Error('mine')
    const work = database.write(async (tx) => {
      await addAccount(tx, 'a')
      throw mine
    })
    await assert.rejects(work, mine)
    const broken = database.write(async (tx) => {
      await addAccount(tx, 'b')
      await addAccount(tx, 'b')
    })
    await assert.rejects(broken, /unique/i)
    assert.deepEqual(await database.read.selectFrom('accounts').selectAll().execute(), [])
    await database.write((tx) => addAccount(tx, 'c'))
    assert.equal((await database.read.selectFrom('accounts').selectAll().execute()).length, 1)
  })

  test('uncommitted changes are invisible to others', async () => {
    await using database = await open()
    const written = Promise.withResolvers<void>()
    const goOn = Promise.withResolvers<void>()
    const work = database.write(async (tx) => {
      await addAccount(tx, 'a')
      written.resolve()
      await goOn.promise
      throw new Error('after all, no')
    })
    await written.promise
    const seen = database.read.selectFrom('accounts').selectAll().execute()
    goOn.resolve()
    await assert.rejects(work)
    assert.deepEqual(await seen, [])
  })

  test('writers with the same lock run one after another', async () => {
    await using database = await open()
    await database.write((tx) =>
      tx.insertInto('attempts').values({ subject: 'counter', failures: 0, last_at: 0 }).execute(),
    )
    const increment = () =>
      database.write(async (tx) => {
        await lock(database, tx, 'counter')
        const { failures } = await tx.selectFrom('attempts').select('failures').executeTakeFirstOrThrow()
        await sleep(1)
        await tx
          .updateTable('attempts')
          .set({ failures: failures + 1 })
          .execute()
      })
    await Promise.all(Array.from({ length: 20 }, increment))
    const { failures } = await database.read
      .selectFrom('attempts')
      .select('failures')
      .executeTakeFirstOrThrow()
    assert.equal(failures, 20)
  })

  test('listeners run before the writer continues, and never after a failure', async () => {
    await using database = await open()
    const order: string[] = []
    database.afterCommit(async () => {
      await sleep(5)
      order.push('listener')
    })
    await database.write((tx) => addAccount(tx, 'a')).then(() => order.push('writer'))
    await assert.rejects(database.write((tx) => addAccount(tx, 'a')))
    assert.deepEqual(order, ['listener', 'writer'])
  })

  test('what has arrived is answered between two of many writes', async () => {
    await using database = await open()
    const order: string[] = []
    const turn = () => {
      order.push('turn')
      if (order.filter((entry) => entry === 'write').length < 20) setImmediate(turn)
    }
    setImmediate(turn)
    await Promise.all(
      Array.from({ length: 20 }, async (_, index) => {
        await database.write((tx) => addAccount(tx, `w${index}`))
        order.push('write')
      }),
    )
    if (dialect === 'sqlite') assert.doesNotMatch(order.join(' '), /write write write/)
    assert.equal((await database.read.selectFrom('accounts').selectAll().execute()).length, 20)
  })

  test('large numbers, counts and sequences come back as numbers', async () => {
    await using database = await open()
    await database.write(async (tx) => {
      await addAccount(tx, 'a', 4_102_444_800_123)
      await tx.insertInto('changes').values({ kind: 'project', subject: 'a', at: 1 }).execute()
    })
    const account = await database.read.selectFrom('accounts').selectAll().executeTakeFirst()
    assert.strictEqual(account?.created_at, 4_102_444_800_123)
    const change = await database.read
      .selectFrom('changes')
      .select((e) => [e.fn.max('seq').as('last'), e.fn.countAll().as('count')])
      .executeTakeFirst()
    assert.deepEqual([change?.last, change?.count], [1, 1])
  })

  test('ids sort by their bytes, and so by time', async () => {
    await using database = await open()
    const ids = ['1', 'a', '0', 'z', '0a', '00', 'a0', 'zz', '9', 'A', 'Z', '_', '-']
    await database.write(async (tx) => {
      for (const id of ids) await addAccount(tx, id)
    })
    const rows = await database.read.selectFrom('accounts').select('id').orderBy('id').execute()
    assert.deepEqual(
      rows.map(({ id }) => id),
      ids.map((id) => `acc_${id}`).sort(),
    )
    if (dialect === 'sqlite') return
    // The test server sorts by bytes anyway; others only do so if the columns say so.
    const other = await sql<{ column: string }>`
      select table_name || '.' || column_name as column from information_schema.columns
      where table_schema = current_schema() and column_name in ('id', 'account_id', 'deployment_id')
      and table_name not like 'kysely%' and collation_name is distinct from 'C'`.execute(database.read)
    assert.deepEqual(other.rows, [])
  })

  test('foreign keys are enforced, and deletions cascade', async () => {
    await using database = await open()
    const link = { token_hash: 'hash', account_id: 'acc_a', created_at: 1 } as const
    const addLink = () => database.write((tx) => tx.insertInto('setup_links').values(link).execute())
    await assert.rejects(addLink(), /foreign key/i)
    await database.write((tx) => addAccount(tx, 'a'))
    await addLink()
    await database.write((tx) => tx.deleteFrom('accounts').execute())
    assert.deepEqual(await database.read.selectFrom('setup_links').selectAll().execute(), [])
  })
})

async function settingsOf(location: DatabaseLocation, ...queries: string[]): Promise<unknown[]> {
  const database = await openDatabase(location, { warn: () => {} })
  try {
    const rows = await Promise.all(queries.map((query) => sql.raw(query).execute(database.read)))
    return rows.map((result) => Object.values(result.rows[0] ?? {})[0])
  } finally {
    await database.close()
  }
}

// Opened as in production: the databases of other tests do not wait for the disk.
test('a commit is durable on sqlite', async () => {
  await using folder = await temporaryFolder('masthead-durable')
  const location = { dialect: 'sqlite', file: join(folder.path, 'masthead.db') } as const
  const full = 2
  const settings = await settingsOf(location, 'pragma journal_mode', 'pragma synchronous')
  assert.deepEqual(settings, ['wal', full])
})

test('only counts and dates do not wait for the disk on sqlite', async () => {
  await using folder = await temporaryFolder('masthead-unsynced')
  const location = { dialect: 'sqlite', file: join(folder.path, 'masthead.db') } as const
  const database = await openDatabase(location, { warn: () => {} })
  const [normal, full] = [1, 2]
  const syncOf = async (tx: Reader) => {
    const { rows } = await sql<{ synchronous: number }>`pragma synchronous`.execute(tx)
    return rows[0]?.synchronous
  }
  try {
    const failing = database.writeUnsynced(async () => {
      throw new Error('no row')
    })
    const later = Promise.withResolvers<number | undefined>()
    database.writeLater('a use', async (tx) => later.resolve(await syncOf(tx)))
    const seen = [
      database.write(syncOf),
      database.writeUnsynced(syncOf),
      database.write(syncOf),
      later.promise,
      database.write(syncOf),
    ]
    await assert.rejects(failing, /no row/)
    assert.deepEqual(await Promise.all(seen), [full, normal, full, normal, full])
    assert.equal(await syncOf(database.read), full)
  } finally {
    await database.close()
  }
})

test('a commit is durable on postgres', { skip: skipWithout('postgresql') }, async () => {
  const server = await startPostgres()
  try {
    const location = { dialect: 'postgres', url: server.url } as const
    assert.deepEqual(await settingsOf(location, 'show synchronous_commit'), ['on'])
  } finally {
    await server.stop()
  }
})
