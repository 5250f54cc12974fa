import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from '@masthead/testing/temporary-folder.ts'
import type { Database } from '../database/database.ts'
import { onEachDatabase } from '../database/each-database.test-kit.ts'
import { openOperatorKey, replaceOperatorKey } from './operator-key.ts'
import { createSealing } from './sealing.ts'

const sealing = createSealing([randomBytes(32)])

function openKey(database: Database, dataFolder: string, warnings: string[] = []): Promise<string> {
  const log = { warn: (message: string) => void warnings.push(message) }
  return openOperatorKey({ database, now: () => 0, sealing, dataFolder, log })
}

onEachDatabase('the operator key', ({ dialect, open }) => {
  test('is created on first start, readable only by its owner, and stays the same', async () => {
    await using database = await open()
    await using folder = await temporaryFolder()
    const key = await openKey(database, folder.path)
    assert.match(key, /^[\w-]{43}$/)
    const path = join(folder.path, 'operator.key')
    assert.equal((await stat(path)).mode & 0o777, 0o600)
    assert.equal(await readFile(path, 'utf8'), `${key}\n`)
    assert.equal(await openKey(database, folder.path), key)
  })

  test('is the one that the operator put into the folder before the first start', async () => {
    await using database = await open()
    await using folder = await temporaryFolder()
    const chosen = 'chosen by the operator, with spaces'
    await writeFile(join(folder.path, 'operator.key'), `${chosen}\n`)
    assert.equal(await openKey(database, folder.path), chosen)
  })

  test('stops the server if it is short or empty, and the message does not reveal it', async () => {
    await using database = await open()
    await using folder = await temporaryFolder()
    for (const short of ['', 'too short for a key\n']) {
      await writeFile(join(folder.path, 'operator.key'), short)
      await assert.rejects(openKey(database, folder.path), (error: Error) => {
        assert.match(error.message, /operator\.key does not contain a key of at least 32 characters/)
        assert.ok(!error.message.includes('too short'))
        return true
      })
    }
  })

  test('is the same for processes that start at once, and they leave no drafts', async () => {
    await using database = await open()
    await using folder = await temporaryFolder()
    const keys = await Promise.all(Array.from({ length: 8 }, () => openKey(database, folder.path)))
    assert.equal(new Set(keys).size, 1)
    assert.deepEqual(await readdir(folder.path), ['operator.key'])
  })

  test('is another one after it was replaced, for every node that starts then', async () => {
    await using database = await open()
    await using folder = await temporaryFolder()
    await using other = await temporaryFolder()
    const before = await openKey(database, folder.path)
    const path = await replaceOperatorKey({ database, now: () => 0, sealing, dataFolder: folder.path })
    const after = await openKey(database, folder.path)
    assert.notEqual(after, before)
    assert.equal(await readFile(path, 'utf8'), `${after}\n`)
    assert.equal((await stat(path)).mode & 0o777, 0o600)
    if (dialect === 'postgres') assert.equal(await openKey(database, other.path), after)
  })

  if (dialect === 'sqlite') {
    for (const own of [null, 'put there by the operator, long enough']) {
      test(`of a restored PostgreSQL backup is kept, unless the folder has one: ${own}`, async () => {
        await using database = await open()
        await using folder = await temporaryFolder()
        const path = join(folder.path, 'operator.key')
        const shared = 'the key that all nodes shared before'
        const row = { id: 'shared', sealed_key: sealing.seal(shared, 'operator key'), created_at: 0 }
        await database.write((tx) => tx.insertInto('operator_key').values(row).execute())
        if (own !== null) await writeFile(path, `${own}\n`)
        assert.equal(await openKey(database, folder.path), own ?? shared)
        assert.equal(await readFile(path, 'utf8'), `${own ?? shared}\n`)
        if (own === null) assert.equal((await stat(path)).mode & 0o777, 0o600)
        assert.deepEqual(await database.read.selectFrom('operator_key').selectAll().execute(), [])
        assert.equal(await openKey(database, folder.path), own ?? shared)
      })
    }
    return
  }

  test('is the same for nodes with folders of their own, and survives the loss of a folder', async () => {
    await using database = await open()
    await using first = await temporaryFolder()
    await using second = await temporaryFolder()
    const [one, other] = await Promise.all([openKey(database, first.path), openKey(database, second.path)])
    assert.equal(one, other)
    await rm(join(first.path, 'operator.key'))
    assert.equal(await openKey(database, first.path), one)
    assert.equal(await readFile(join(first.path, 'operator.key'), 'utf8'), `${one}\n`)
    const [row] = await database.read.selectFrom('operator_key').selectAll().execute()
    assert.ok(!row?.sealed_key.includes(one), 'the database has it sealed')
  })

  test('of a node that had one of its own gives way to the shared one, with a warning', async () => {
    await using database = await open()
    await using first = await temporaryFolder()
    await using second = await temporaryFolder()
    const shared = await openKey(database, first.path)
    await writeFile(join(second.path, 'operator.key'), 'a different key of this node, long enough\n')
    const warnings: string[] = []
    assert.equal(await openKey(database, second.path, warnings), shared)
    assert.match(warnings.join(), /operator\.key was replaced with the operator key that all nodes share/)
    assert.equal(await openKey(database, second.path, warnings), shared)
    assert.equal(warnings.length, 1)
  })
})
