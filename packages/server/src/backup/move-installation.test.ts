import assert from 'node:assert/strict'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, test } from 'node:test'
import { skipWithout } from '@masthead/testing/peers/peers.ts'
import { postgresSchema } from '@masthead/testing/peers/postgres.ts'
import { createFileStore } from '../blobs/files/file-store.ts'
import { openDatabase } from '../database/database.ts'
import { OperatorError } from '../kernel/program/process-lifetime.ts'
import { addUpload, createInstallation, quiet, silent, storedFiles } from './installation.test-kit.ts'
import { filesInStore, moveInstallation } from './move-installation.ts'
import { tableContents } from './rows/tables.ts'

type Installation = Awaited<ReturnType<typeof createInstallation>>

async function move(
  { dataFolder, databaseFile, path }: Installation,
  url: string,
  options: { startOver?: boolean; leaveDamaged?: boolean; beforeFile?: (path: string) => void } = {},
) {
  const files = filesInStore(await createFileStore(join(dataFolder, 'blobs')))
  const target = await createFileStore(join(path, 'moved'))
  return moveInstallation({ databaseFile, files }, url, target, {
    progress: quiet,
    startOver: false,
    leaveDamaged: false,
    ...options,
  })
}

const inOrder = (rows: readonly object[]) => rows.map((row) => JSON.stringify(row)).sort()
const sorted = <K, V>(map: Map<K, V>) => new Map([...map].sort(([a], [b]) => (a < b ? -1 : 1)))

describe('moving to PostgreSQL', { skip: skipWithout('postgresql') }, () => {
  test('every row of every table and every file arrives as it was', async () => {
    await using installation = await createInstallation({ rows: 40 })
    await using target = await postgresSchema()
    await move(installation, target.url)

    const source = new DatabaseSync(installation.databaseFile)
    for (const [table, content] of Object.entries(tableContents)) {
      // A copy has files of its own.
      if (table === 'file_store') continue
      const condition = content.rows === 'none' ? 'false' : content.rows === 'only' ? content.only : 'true'
      const before = source.prepare(`select * from "${table}" where ${condition}`).all()
      const after = await target.query(`select * from "${table}"`)
      const numbers = after.map((row) =>
        Object.fromEntries(
          Object.entries(row).map(([name, value]) => [
            name,
            isNumber(name, value, before) ? Number(value) : value,
          ]),
        ),
      )
      const names = Object.keys(before[0] ?? {})
      const ordered = numbers.map((row) => Object.fromEntries(names.map((name) => [name, row[name]])))
      assert.deepEqual(inOrder(ordered), inOrder(before), table)
      assert.equal(before.length > 0, content.rows !== 'none', `${table} was tried`)
    }
    source.close()
    assert.deepEqual(await storedFiles(join(installation.path, 'moved')), sorted(installation.files))
  })

  test('the change feed counts on from where it was', async () => {
    await using installation = await createInstallation({ rows: 7 })
    await using target = await postgresSchema()
    await move(installation, target.url)
    const database = await openDatabase({ dialect: 'postgres', url: target.url }, silent)
    await database.write((tx) =>
      tx.insertInto('changes').values({ kind: 'k', subject: 's', at: 1 }).execute(),
    )
    assert.deepEqual(await database.read.selectFrom('changes').select('seq').execute(), [{ seq: 8 }])
    await database.close()
  })

  test('run again after its end, it says so and changes nothing', async () => {
    await using installation = await createInstallation()
    await using target = await postgresSchema()
    const first = await move(installation, target.url)
    assert.deepEqual(await move(installation, target.url), first)
  })

  test('an installation is never overwritten', async () => {
    await using installation = await createInstallation()
    await using target = await postgresSchema()
    const other = await openDatabase({ dialect: 'postgres', url: target.url }, silent)
    await other.write((tx) =>
      tx.insertInto('lab_records').values({ name: 'a', type: 'A', value_list: '[]', ttl: 1 }).execute(),
    )
    await other.close()
    for (const startOver of [false, true]) {
      await assert.rejects(move(installation, target.url, { startOver }), /already holds an installation/)
    }
    assert.deepEqual(await target.query('select name from lab_records'), [{ name: 'a' }])
    assert.deepEqual(await target.query(`select to_regclass('unfinished_copy') as marker`), [
      { marker: null },
    ])
  })

  test('an interrupted move goes on, and no server starts on half of it', async () => {
    await using installation = await createInstallation({ rows: 30 })
    await using target = await postgresSchema()
    const blocked = join(installation.path, 'moved', 'documents')
    // The rows are there, then the first file fails.
    await createFileStore(join(installation.path, 'moved'))
    await writeFile(blocked, 'in the way')
    await assert.rejects(move(installation, target.url))
    await assert.rejects(
      openDatabase({ dialect: 'postgres', url: target.url }, silent),
      (error) => error instanceof OperatorError && /unfinished move or restore/.test(error.message),
    )
    await rm(blocked)
    await move(installation, target.url)
    await (await openDatabase({ dialect: 'postgres', url: target.url }, silent)).close()
    assert.deepEqual(await storedFiles(join(installation.path, 'moved')), sorted(installation.files))
  })

  test('a source that changed since the first attempt starts over only when told to', async () => {
    await using installation = await createInstallation()
    await using target = await postgresSchema()
    const [document = ''] = [...installation.files.keys()].filter((path) => path.startsWith('documents/'))
    const lost = installation.files.get(document) ?? Buffer.alloc(0)
    await rm(join(installation.dataFolder, 'blobs', document))
    await assert.rejects(
      move(installation, target.url),
      new RegExp(`One file could not be copied:\n  ${document} is missing`),
    )
    await writeFile(join(installation.dataFolder, 'blobs', document), lost)
    const source = new DatabaseSync(installation.databaseFile)
    source.exec(`update accounts set name = 'changed'`)
    source.close()
    await assert.rejects(move(installation, target.url), /before it was changed.*--start-over/)
    await move(installation, target.url, { startOver: true })
    assert.deepEqual(await target.query('select distinct name from accounts'), [{ name: 'changed' }])
  })

  test('missing and damaged files are named, and left out only when told to', async () => {
    await using installation = await createInstallation({ accounts: 1, deploymentsPerAccount: 1 })
    await using target = await postgresSchema()
    const contents = [...installation.files.keys()].filter((path) => /[0-9a-f]{64}$/.test(path))
    const [missing = '', damaged = ''] = contents
    await rm(join(installation.dataFolder, 'blobs', missing))
    await writeFile(join(installation.dataFolder, 'blobs', damaged), 'flipped')
    await assert.rejects(move(installation, target.url), (error: Error) => {
      assert.match(error.message, /^2 files could not be copied:/)
      for (const line of [`${missing} is missing`, `${damaged} is damaged`])
        assert.ok(error.message.includes(line))
      return true
    })
    await move(installation, target.url, { leaveDamaged: true })
    const moved = await storedFiles(join(installation.path, 'moved'))
    assert.deepEqual([moved.has(missing), moved.has(damaged)], [false, false])
  })

  test('an upload that has no manifest yet is moved like the others', async () => {
    await using installation = await createInstallation({ accounts: 1 })
    await using target = await postgresSchema()
    addUpload(installation)
    await move(installation, target.url)
    assert.deepEqual(await target.query(`select id from deployments where state = 'uploading'`), [
      { id: 'dpl_upload' },
    ])
  })

  test('a file already there is kept if it is equal, and replaced if it is not', async () => {
    await using installation = await createInstallation()
    await using target = await postgresSchema()
    const moved = join(installation.path, 'moved')
    await move(installation, target.url)
    for (const path of [...installation.files.keys()].filter((_, index) => index % 3 === 0))
      await writeFile(join(moved, path), 'something else')
    await move(installation, target.url)
    assert.deepEqual(await storedFiles(moved), sorted(installation.files))
  })

  test('a database from a newer version is refused in words', async () => {
    await using installation = await createInstallation()
    await using target = await postgresSchema()
    await (await openDatabase({ dialect: 'postgres', url: target.url }, silent)).close()
    await target.query(`insert into migrations (name, at) values ('0999-later', 1)`)
    await assert.rejects(
      move(installation, target.url),
      (error) =>
        error instanceof OperatorError && /newer version of Masthead \(0999-later\)/.test(error.message),
    )
  })
})

/** The test's own connection reads bigint as text. */
function isNumber(name: string, value: unknown, before: readonly Record<string, unknown>[]): boolean {
  return typeof value === 'string' && before.some((row) => typeof row[name] === 'number')
}
