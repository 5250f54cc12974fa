import assert from 'node:assert/strict'
import { readdir, readFile, rm, stat, unlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, test } from 'node:test'
import { skipWithout } from '@masthead/testing/peers/peers.ts'
import { postgresSchema } from '@masthead/testing/peers/postgres.ts'
import { temporaryFolder } from '@masthead/testing/temporary-folder.ts'
import type { BlobKey, BlobStore } from '../blobs/blob-store.ts'
import { createFileStore } from '../blobs/files/file-store.ts'
import { type DatabaseLocation, openDatabase } from '../database/database.ts'
import { backUp, type Installation, options, restore, sqliteIn, verify } from './backup.test-kit.ts'
import { createInstallation, silent, storedFiles } from './installation.test-kit.ts'
import { filesInStore, moveInstallation } from './move-installation.ts'
import { chooseSnapshot } from './snapshot-folder.ts'

test('a backup of SQLite restored into SQLite is the same installation', async () => {
  await using installation = await createInstallation({ rows: 20 })
  await using backup = await temporaryFolder()
  await using other = await temporaryFolder()
  const { manifest } = await backUp(installation, { folder: backup.path })
  assert.deepEqual(await verify(backup.path), [])
  await restore(backup.path, join(other.path, 'data'))
  assert.deepEqual(
    await storedFiles(join(other.path, 'data/blobs')),
    await storedFiles(join(installation.dataFolder, 'blobs')),
  )
  await using again = await temporaryFolder()
  const copy = {
    ...installation,
    dataFolder: join(other.path, 'data'),
    databaseFile: join(other.path, 'data/masthead.db'),
  }
  const second = await backUp(copy, { folder: again.path })
  assert.deepEqual(second.manifest.tables, manifest.tables)
  assert.deepEqual(second.manifest.files, manifest.files)
  assert.deepEqual((await readdir(join(other.path, 'data'))).sort(), ['blobs', 'masthead.db'])
})

describe('with PostgreSQL', { skip: skipWithout('postgresql') }, () => {
  test('a backup of PostgreSQL restored into SQLite, and one of SQLite restored into PostgreSQL, are equal', async () => {
    await using installation = await createInstallation({ rows: 20 })
    await using postgres = await postgresSchema()
    await using backups = await temporaryFolder()
    const [first, second, third] = ['one', 'two', 'three'].map((name) => join(backups.path, name)) as [
      string,
      string,
      string,
    ]
    const { manifest } = await backUp(installation, { folder: first })
    const postgresLocation: DatabaseLocation = { dialect: 'postgres', url: postgres.url }
    await restore(first, join(backups.path, 'on-postgres'), postgresLocation)
    const blobs = await createFileStore(join(backups.path, 'on-postgres/blobs'))
    const fromPostgres = await backUp(installation, { folder: second, blobs, database: postgresLocation })
    assert.deepEqual(fromPostgres.manifest.tables, manifest.tables)
    assert.deepEqual(fromPostgres.manifest.files, manifest.files)
    assert.deepEqual(await verify(second), [])

    const back = join(backups.path, 'on-sqlite')
    await restore(second, back)
    const fromSqlite = await backUp(
      { ...installation, dataFolder: back, databaseFile: join(back, 'masthead.db') },
      { folder: third },
    )
    assert.deepEqual(fromSqlite.manifest.tables, manifest.tables)
    assert.deepEqual(fromSqlite.manifest.files, manifest.files)
    const database = await openDatabase(sqliteIn(back), silent)
    await database.write((tx) =>
      tx.insertInto('changes').values({ kind: 'k', subject: 's', at: 1 }).execute(),
    )
    const { seq } = await database.read.selectFrom('changes').select('seq').executeTakeFirstOrThrow()
    assert.equal(seq, 21, 'the change feed counts on')
    await database.close()
  })

  test('nothing is restored over an installation on PostgreSQL, and an interrupted restore goes on', async () => {
    await using installation = await createInstallation()
    await using postgres = await postgresSchema()
    await using backup = await temporaryFolder()
    await using data = await temporaryFolder()
    const location: DatabaseLocation = { dialect: 'postgres', url: postgres.url }
    await backUp(installation, { folder: backup.path })
    await writeFile(join(data.path, 'blobs'), 'in the way')
    await assert.rejects(restore(backup.path, data.path, location))
    await rm(join(data.path, 'blobs'))
    await restore(backup.path, data.path, location)
    await restore(backup.path, data.path, location)
    await postgres.query(`update accounts set name = 'other'`)
    await assert.rejects(restore(backup.path, data.path, location), /already holds an installation/)
  })

  test('a database that is newer than the program is refused in words', async () => {
    await using installation = await createInstallation()
    await using postgres = await postgresSchema()
    await using backup = await temporaryFolder()
    const database: DatabaseLocation = { dialect: 'postgres', url: postgres.url }
    await assert.rejects(backUp(installation, { folder: backup.path, database }), /There is no installation/)
    const files = filesInStore(await createFileStore(join(installation.dataFolder, 'blobs')))
    await moveInstallation({ databaseFile: installation.databaseFile, files }, postgres.url, null, options)
    await postgres.query(`insert into migrations (name, at) values ('0999-later', 1)`)
    await assert.rejects(
      backUp(installation, { folder: backup.path, database }),
      /newer version of Masthead \(0999-later\)/,
    )
  })
})

test('a second backup copies only what is new, and each snapshot has its own state', async () => {
  await using installation = await createInstallation()
  await using backup = await temporaryFolder()
  const first = await backUp(installation, { folder: backup.path })
  const before = await storedFiles(join(backup.path, 'files'))
  const stores = await createFileStore(join(installation.dataFolder, 'blobs'))
  const read: string[] = []
  const blobs = {
    ...stores,
    openFile(key: BlobKey) {
      read.push(key.sha256)
      return stores.openFile(key)
    },
  }
  changeName(installation, 'second')
  const second = await backUp(installation, { folder: backup.path, blobs })
  assert.deepEqual(read, [])
  assert.deepEqual(await storedFiles(join(backup.path, 'files')), before)
  for (const [{ name }, expected] of [
    [first, undefined],
    [second, 'second'],
  ] as const) {
    await using other = await temporaryFolder()
    await restore(backup.path, other.path, undefined, name)
    const rows = new DatabaseSync(join(other.path, 'masthead.db'))
    const found = rows.prepare('select distinct name from accounts').all()
    assert.equal(found.length === 1 ? found[0]?.name : undefined, expected)
    rows.close()
  }
})

test('only the newest snapshots are kept when told to, with the files that they need', async () => {
  await using installation = await createInstallation({ accounts: 1, deploymentsPerAccount: 2 })
  await using backup = await temporaryFolder()
  const { name: oldest } = await backUp(installation, { folder: backup.path })
  const rows = new DatabaseSync(installation.databaseFile)
  rows.exec(`delete from deployments where id = 'dpl_0x1'`)
  const [{ sha256 } = { sha256: '' }] = rows
    .prepare('select sha256 from blobs order by rowid desc limit 1')
    .all()
  rows.prepare('delete from blobs where sha256 = ?').run(String(sha256))
  rows.close()
  for (let i = 0; i < 2; i++) await backUp(installation, { folder: backup.path, keep: 2 })
  assert.equal((await readdir(join(backup.path, 'snapshots'))).length, 2)
  await assert.rejects(chooseSnapshot(backup.path, oldest), /There is no backup called/)
  assert.equal(
    (await storedFiles(join(backup.path, 'files'))).has(join(String(sha256).slice(0, 2), String(sha256))),
    false,
  )
  for (const name of await readdir(join(backup.path, 'snapshots')))
    assert.deepEqual(await verify(backup.path, name), [])
})

test('files that the installation has lost are named, and earlier snapshots stay', async () => {
  await using installation = await createInstallation({ accounts: 1 })
  await using backup = await temporaryFolder()
  const { name: good } = await backUp(installation, { folder: backup.path })
  const [path = ''] = [...installation.files.keys()].filter((one) => one.endsWith('.gz'))
  await rm(join(installation.dataFolder, 'blobs', path))
  for (const stored of (await readdir(join(backup.path, 'files'), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name)))
    if ((await readFile(stored)).equals(installation.files.get(path) ?? Buffer.alloc(0))) await unlink(stored)
  const { manifest } = await backUp(installation, { folder: backup.path, keep: 1 })
  assert.deepEqual(manifest.lost, [path])
  assert.deepEqual(await verify(backup.path, good), [`${path} is missing.`])
})

test('damage in a backup is found, and never restored', async () => {
  await using installation = await createInstallation({ accounts: 1, deploymentsPerAccount: 1 })
  await using backup = await temporaryFolder()
  const { name } = await backUp(installation, { folder: backup.path })
  const contents = [...installation.files].filter(([path]) => /[0-9a-f]{64}$/.test(path))
  const [[missing = ''] = [], [damaged = ''] = []] = contents
  const inBackup = (path: string) => join(backup.path, 'files', path.slice(-64, -62), path.slice(-64))
  const original = await readFile(inBackup(damaged))
  await unlink(inBackup(missing))
  await writeFile(inBackup(damaged), Buffer.from(original).fill(0, 0, 1))
  const faults = [
    `${missing} is missing.`,
    `${damaged} is damaged (files/${damaged.slice(-64, -62)}/${damaged.slice(-64)}).`,
  ]
  assert.deepEqual((await verify(backup.path)).sort(), faults.sort())
  await using other = await temporaryFolder()
  await assert.rejects(restore(backup.path, other.path), /^OperatorError: 2 files could not be copied:/)
  assert.equal((await readdir(other.path)).includes('masthead.db'), false)

  // The next backup of the living installation copies what is missing, and one that checks what is damaged.
  await backUp(installation, { folder: backup.path })
  assert.match((await verify(backup.path, name)).join(), new RegExp(`^${damaged} is damaged [^,]*$`))
  const { added } = await backUp(installation, { folder: backup.path, check: true })
  assert.deepEqual(added, { files: 1, bytes: original.byteLength })
  assert.deepEqual(await verify(backup.path, name), [])
  assert.deepEqual((await backUp(installation, { folder: backup.path, check: true })).added.files, 0)

  const rows = join(backup.path, 'snapshots', name, 'rows.db')
  const bytes = await readFile(rows)
  bytes[bytes.length - 1] = (bytes[bytes.length - 1] ?? 0) ^ 1
  await writeFile(rows, bytes)
  assert.match((await verify(backup.path, name)).join(), /^The rows of the snapshot .* are damaged/)
  await assert.rejects(restore(backup.path, other.path, undefined, name), /are damaged/)
})

test('an interrupted backup is recognised, refused, and finished by the next one', async () => {
  await using installation = await createInstallation()
  await using backup = await temporaryFolder()
  const store = await createFileStore(join(installation.dataFolder, 'blobs'))
  let left = 5
  const failing: BlobStore = {
    ...store,
    openFile: (key) => (left-- > 0 ? store.openFile(key) : Promise.reject(new Error('interrupted'))),
  }
  await assert.rejects(backUp(installation, { folder: backup.path, blobs: failing }), /interrupted/)
  await assert.rejects(
    verify(backup.path),
    /was interrupted and is incomplete\. Run masthead-server backup again/,
  )
  await using other = await temporaryFolder()
  await assert.rejects(restore(backup.path, other.path), /incomplete/)
  const kept = await storedFiles(join(backup.path, 'files'))
  assert.ok(kept.size > 0)
  await backUp(installation, { folder: backup.path })
  assert.deepEqual(await verify(backup.path), [])
  assert.equal((await readdir(join(backup.path, 'snapshots'))).length, 1)
})

test('a backup of the future is refused in words', async () => {
  await using installation = await createInstallation()
  await using backup = await temporaryFolder()
  const { name, manifest } = await backUp(installation, { folder: backup.path })
  const file = join(backup.path, 'snapshots', name, 'manifest.json')
  await writeFile(file, JSON.stringify({ ...manifest, format: 2, version: '7.0.0' }))
  await assert.rejects(
    verify(backup.path),
    /made by a newer version of Masthead \(7\.0\.0\)\. Update this program/,
  )
  await writeFile(file, '{"format"')
  await assert.rejects(verify(backup.path), /manifest\.json is damaged/)
})

test('only the owner can read a backup', async () => {
  await using installation = await createInstallation({ accounts: 1, deploymentsPerAccount: 1 })
  await using backup = await temporaryFolder()
  await backUp(installation, { folder: backup.path })
  const entries = await readdir(backup.path, { recursive: true, withFileTypes: true })
  for (const entry of entries) {
    const { mode } = await stat(join(entry.parentPath, entry.name))
    if (entry.name !== 'in-use.lock') assert.equal(mode & 0o077, 0, entry.name)
  }
  assert.equal((await stat(backup.path)).mode & 0o777, 0o700)
})

function changeName({ databaseFile }: Installation, name: string): void {
  const rows = new DatabaseSync(databaseFile)
  rows.prepare('update accounts set name = ?').run(name)
  rows.close()
}
