import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { temporaryFolder } from '@masthead/testing/temporary-folder.ts'
import type { Database } from '../database/database.ts'
import { onEachDatabase } from '../database/each-database.test-kit.ts'
import { masterKeyPath, readMasterKeyFile } from './master-key.ts'
import { describeMasterKey, nodesWithOtherFile } from './nodes-keys.ts'
import { type MasterKeySource, openSealing } from './open-sealing.ts'
import { rotateMasterKey } from './rotate-master-key.ts'

const [old, fresh] = [randomBytes(32), randomBytes(32)]

/** A server that has just said that it runs. */
async function addNode(database: Database, host: string, source: MasterKeySource, age = 0): Promise<void> {
  const settings = { host, pid: 7, masterKey: describeMasterKey(source), platformDomain: 'pages.example' }
  const row = { newest_migration: '0043-running-nodes', seen_at: Date.now() - age }
  await database.write((tx) =>
    tx
      .insertInto('live_versions')
      .values({ id: host, ...row, settings: JSON.stringify(settings) })
      .execute(),
  )
}

onEachDatabase('keys of running nodes', ({ open }) => {
  test('a given key is not rotated while a node does not seal under the new one', async () => {
    await using database = await open()
    await using folder = await temporaryFolder()
    const dataFolder = folder.path
    const given = { given: [fresh, old] as const, dataFolder }
    await openSealing({ database }, { given: [old], dataFolder })
    await addNode(database, 'good', given)
    await addNode(database, 'late', { given: [old, fresh], dataFolder })
    await addNode(database, 'older', { given: [old], dataFolder })
    await addNode(database, 'crashed', { given: [old], dataFolder }, 120_000)
    const rotating = rotateMasterKey({ database }, given, [])
    await assert.rejects(
      rotating,
      /^MasterKeyError: late \(process 7\) and older \(process 7\) would not seal/,
    )
    // With the key in use nothing can go wrong.
    await rotateMasterKey({ database }, { given: [old], dataFolder }, [])

    await database.write((tx) =>
      tx.deleteFrom('live_versions').where('id', 'in', ['late', 'older']).execute(),
    )
    assert.equal((await rotateMasterKey({ database }, given, [])).values, 1)
  })

  test('no key is rotated while a node runs that is too old to say which one it has', async () => {
    await using database = await open()
    await using folder = await temporaryFolder()
    const dataFolder = folder.path
    await openSealing({ database }, { given: [old], dataFolder })
    const row = { id: 'older', newest_migration: '0041-older-webhook-secrets', settings: null }
    const seen = (seen_at: number) =>
      database.write(async (tx) => {
        await tx.deleteFrom('live_versions').execute()
        await tx
          .insertInto('live_versions')
          .values({ ...row, seen_at })
          .execute()
      })
    await seen(Date.now())
    const given = { given: [fresh, old] as const, dataFolder }
    await assert.rejects(
      rotateMasterKey({ database }, given, []),
      /^MasterKeyError: A node of an older version/,
    )
    await seen(Date.now() - 120_000)
    assert.equal((await rotateMasterKey({ database }, given, [])).values, 1)
  })

  test('a key file is not rotated while a node has the key in a setting', async () => {
    await using database = await open()
    await using folder = await temporaryFolder()
    const dataFolder = folder.path
    const source = { given: null, dataFolder }
    await openSealing({ database }, source)
    const ring = readMasterKeyFile(masterKeyPath(dataFolder))
    await addNode(database, 'same', source)
    await addNode(database, 'web-2', { given: ring, dataFolder: '/elsewhere' })
    const rotating = rotateMasterKey({ database }, source, [])
    await assert.rejects(rotating, /^MasterKeyError: web-2 \(process 7\) would not get the new key/)
    assert.deepEqual(readMasterKeyFile(masterKeyPath(dataFolder)), ring)
  })

  test('nodes with a key file elsewhere are named', async () => {
    await using database = await open()
    await addNode(database, 'web-2', { given: null, dataFolder: '/var/lib/masthead' })
    assert.deepEqual(await nodesWithOtherFile({ database }, { given: null, dataFolder: '/data' }), [
      'web-2 (process 7) reads /var/lib/masthead/master.key',
    ])
  })
})
