import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readdir, unlink } from 'node:fs/promises'
import { test } from 'node:test'
import { temporaryFolder } from '@masthead/testing/temporary-folder.ts'
import { onEachDatabase } from '../database/each-database.test-kit.ts'
import { masterKeyPath } from './master-key.ts'
import { openSealing } from './open-sealing.ts'

onEachDatabase('the master key', ({ dialect, open }) => {
  test('the first start creates it, and later starts open what was sealed', async () => {
    await using folder = await temporaryFolder()
    await using database = await open()
    const source = { given: null, dataFolder: folder.path }
    const opened = await Promise.all(Array.from({ length: 4 }, () => openSealing({ database }, source)))
    const sealed = opened.map((sealing) => sealing.seal('a secret', 'x'))
    const later = await openSealing({ database }, source)
    for (const one of sealed) assert.equal(later.open(one, 'x').toString(), 'a secret')
  })

  test('a lost key is never replaced: the server stops and says what to do', async () => {
    await using folder = await temporaryFolder()
    await using database = await open()
    const source = { given: null, dataFolder: folder.path }
    await openSealing({ database }, source)
    await unlink(masterKeyPath(folder.path))
    for (let start = 0; start < 2; start++) {
      await assert.rejects(openSealing({ database }, source), {
        name: 'MasterKeyError',
        message: /^.*master\.key is missing\. .* sealed under master key [0-9a-f]{8}\. Restore that key/,
      })
    }
    assert.deepEqual(await readdir(folder.path), [])
  })

  test('a wrong key stops the server, whether given or in the file', async () => {
    await using folder = await temporaryFolder()
    await using another = await temporaryFolder()
    await using database = await open()
    await openSealing({ database }, { given: null, dataFolder: folder.path })
    const given = { given: [randomBytes(32)] as const, dataFolder: folder.path }
    await assert.rejects(openSealing({ database }, given), {
      message: /^MASTHEAD_MASTER_KEY is not the master key of this database/,
    })
    await using otherDatabase = await open()
    await openSealing({ database: otherDatabase }, { given: null, dataFolder: another.path })
    await assert.rejects(openSealing({ database }, { given: null, dataFolder: another.path }), {
      message: /master\.key is not the master key of this database/,
    })
  })

  test('a second node without the key of the first does not create its own', async () => {
    await using first = await temporaryFolder()
    await using second = await temporaryFolder()
    await using database = await open()
    const start = (dataFolder: string) => openSealing({ database }, { given: null, dataFolder })
    const results = await Promise.allSettled([start(first.path), start(second.path)])
    assert.deepEqual(results.map(({ status }) => status).sort(), ['fulfilled', 'rejected'])
    const files = [await readdir(first.path), await readdir(second.path)]
    assert.deepEqual(files.flat(), ['master.key'])
  })

  test('creating it warns, if other nodes will need it, how to give it to them', async () => {
    await using folder = await temporaryFolder()
    await using database = await open()
    const warnings: string[] = []
    const log = { warn: (message: string) => void warnings.push(message) }
    const source = { given: null, dataFolder: folder.path }
    for (let start = 0; start < 2; start++) await openSealing({ database }, source, log)
    if (dialect === 'sqlite') return assert.deepEqual(warnings, [])
    assert.equal(warnings.length, 1)
    assert.match(warnings.join(), /master\.key is the only copy .* Set MASTHEAD_MASTER_KEY to its content/)
  })

  test('a given key needs no file', async () => {
    await using folder = await temporaryFolder()
    await using database = await open()
    const source = { given: [randomBytes(32)] as const, dataFolder: folder.path }
    const sealed = (await openSealing({ database }, source)).seal('a secret', 'x')
    assert.equal((await openSealing({ database }, source)).open(sealed, 'x').toString(), 'a secret')
    assert.deepEqual(await readdir(folder.path), [])
  })
})
