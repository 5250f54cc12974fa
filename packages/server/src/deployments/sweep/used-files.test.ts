import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BlobStore } from '../../blobs/blob-store.ts'
import { onEachDatabase } from '../../database/each-database.test-kit.ts'
import { day, minute } from '../../kernel/clock.ts'
import { digestOf, startPublishing } from '../deployments.test-kit.ts'
import type { DeploymentRow } from '../store.ts'
import { before, digestsOnDisk, holdStaging, holdWrites, remove } from './sweep.test-kit.ts'
import { sweep } from './sweep.ts'

onEachDatabase('a sweep during uploads', ({ open }) => {
  test('an upload that nobody finishes keeps what it lists, and other unused files are removed', async () => {
    await using database = await open()
    await using publishing = await startPublishing(database)
    const { context } = publishing
    await remove(publishing, await publishing.publish({ '/a.html': 'A', '/b.html': 'B' }))
    const { deployment, missing } = await publishing.announce({ '/a.html': 'A', '/c.html': 'C' })
    assert.deepEqual(missing, [digestOf('C')])
    await publishing.put(deployment, 'C')
    await sweep(context)
    assert.deepEqual(await digestsOnDisk(publishing), [digestOf('A'), digestOf('C')].sort())
    assert.deepEqual(await database.read.selectFrom('discarded_manifests').selectAll().execute(), [])
    const ready = await publishing.finalize(deployment)
    assert.deepEqual(await publishing.contents(ready), { '/a.html': 'A', '/c.html': 'C' })
  })

  test('an account that publishes during every sweep gets its space back, and loses nothing', async () => {
    await using database = await open()
    await using publishing = await startPublishing(database)
    const { context } = publishing
    await publishing.publish({ '/index.html': 'kept' })
    await remove(
      publishing,
      await publishing.publish({ '/a.html': 'A', '/b.html': 'B' }, { activate: false }),
    )
    const published: DeploymentRow[] = []
    const blobs = before(context.blobs, 'readDocument', async () => {
      if (published.length === 3) return
      const site = { '/index.html': `new ${published.length}`, '/a.html': 'A' }
      published.push(await publishing.publish(site))
    })
    await sweep({ ...context, blobs })
    assert.equal(published.length, 3)
    assert.ok(!(await digestsOnDisk(publishing)).includes(digestOf('B')))
    for (const [n, one] of published.entries())
      assert.deepEqual(await publishing.contents(one), { '/index.html': `new ${n}`, '/a.html': 'A' })
  })

  test('a file that is announced as already there just before the claim stays', async () => {
    await using database = await open()
    await using publishing = await startPublishing(database)
    const { context } = publishing
    await remove(publishing, await publishing.publish({ '/a.html': 'A', '/b.html': 'B' }))
    let announced: Awaited<ReturnType<typeof publishing.announce>> | undefined
    // The last read before the claim: everything that the sweep knows is older than the upload.
    const blobs = before(context.blobs, 'readDocument', async () => {
      announced ??= await publishing.announce({ '/a.html': 'A' })
    })
    await sweep({ ...context, blobs })
    assert.deepEqual(announced?.missing, [])
    assert.deepEqual(await digestsOnDisk(publishing), [digestOf('A')])
    const ready = announced && (await publishing.finalize(announced.deployment))
    assert.deepEqual(ready && (await publishing.contents(ready)), { '/a.html': 'A' })
  })

  test('an upload whose list is not stored yet keeps every file of the account, and none of others', async () => {
    await using database = await open()
    await using publishing = await startPublishing(database)
    const context = { ...publishing.context, removalWait: 0 }
    const stranger = await publishing.addAccount()
    const strange = await publishing.addProject('strange', stranger.id)
    await remove(publishing, await publishing.publish({ '/b.html': 'B' }, { of: strange }))
    await remove(publishing, await publishing.publish({ '/a.html': 'A' }))
    const { blobs, held } = holdWrites(context.blobs)
    const announcing = publishing.announce({ '/a.html': 'A' }, publishing.project, { ...context, blobs })
    await held.begun
    await sweep(context)
    assert.deepEqual(await digestsOnDisk(publishing), [digestOf('A')])
    held.release()
    const { deployment, missing } = await announcing
    assert.deepEqual(missing, [])
    await sweep(context)
    assert.deepEqual(await publishing.contents(await publishing.finalize(deployment)), { '/a.html': 'A' })
  })

  test('what finalizing puts in the place of files with passwords stays', async () => {
    await using database = await open()
    await using publishing = await startPublishing(database)
    const { context } = publishing
    const site = { '/index.html': 'front', '/_headers': '/*\n  Basic-Auth: mia:a long password\n' }
    await remove(publishing, await publishing.publish(site))
    const { deployment, missing } = await publishing.announce(site)
    for (const content of Object.values(site))
      if (missing.includes(digestOf(content))) await publishing.put(deployment, content)
    // The replacement is stored, and no manifest lists it yet.
    const writeDocument: BlobStore['writeDocument'] = async (name, content) => {
      if (!name.includes('rules')) await sweep(context)
      await context.blobs.writeDocument(name, content)
    }
    const using = { ...context, blobs: { ...context.blobs, writeDocument } }
    const ready = await publishing.finalize(deployment, { using })
    assert.deepEqual(Object.keys(await publishing.contents(ready)), Object.keys(site))
  })

  test('an archive that is still arriving keeps the files it has used so far, and no others', async () => {
    await using database = await open()
    await using publishing = await startPublishing(database)
    const { context } = publishing
    await remove(publishing, await publishing.publish({ '/a.html': 'A', '/b.html': 'B', '/c.html': 'C' }))
    const { blobs, arrived, goOn } = holdStaging(context.blobs)
    const site = { '/a.html': 'A', '/new.html': 'new' }
    const archive = publishing.sendArchive(site, { using: { ...context, blobs } })
    await arrived
    await sweep({ ...context, removalWait: 0 })
    assert.deepEqual(await digestsOnDisk(publishing), [digestOf('A')])
    goOn()
    assert.deepEqual(await publishing.contents(await archive), site)
    await sweep(context)
    assert.deepEqual(await publishing.contents(await archive), site)
    assert.deepEqual(await database.read.selectFrom('archive_files').selectAll().execute(), [])
  })

  test('an archive whose server was killed keeps what it used until it is cancelled', async () => {
    await using database = await open()
    await using publishing = await startPublishing(database)
    const { context, clock } = publishing
    await remove(publishing, await publishing.publish({ '/a.html': 'A', '/b.html': 'B' }))
    const { blobs, arrived, goOn } = holdStaging(context.blobs)
    const archive = publishing.sendArchive(
      { '/a.html': 'A', '/c.html': 'C' },
      { using: { ...context, blobs } },
    )
    const refused = assert.rejects(archive, { code: 'not_found' })
    await arrived
    await sweep({ ...context, removalWait: 0 })
    assert.deepEqual(await digestsOnDisk(publishing), [digestOf('A')])
    clock.at += day + 1
    await sweep(context)
    assert.deepEqual(await digestsOnDisk(publishing), [])
    assert.deepEqual(await database.read.selectFrom('archive_files').selectAll().execute(), [])
    goOn()
    await refused
  })

  test('an archive that is finalized after its server was killed keeps its files', async () => {
    await using database = await open()
    await using publishing = await startPublishing(database)
    const { context } = publishing
    // Its list is written, and the server is killed before it says so.
    const ending = Promise.withResolvers<void>()
    const writeUnsynced = () => {
      ending.resolve()
      return Promise.withResolvers<never>().promise
    }
    void publishing.sendArchive(
      { '/a.html': 'A' },
      { using: { ...context, database: { ...database, writeUnsynced } } },
    )
    await ending.promise
    const uploads = database.read.selectFrom('deployments').selectAll().where('state', '=', 'uploading')
    const upload = await uploads.executeTakeFirstOrThrow()
    const other = await publishing.publish({ '/a.html': 'A' })
    const ready = await publishing.finalize(upload)
    await remove(publishing, other)
    await sweep(context)
    assert.deepEqual(await publishing.contents(ready), { '/a.html': 'A' })
    assert.deepEqual(await database.read.selectFrom('archive_files').selectAll().execute(), [])
  })

  test('an upload whose server was killed before its list was stored is cancelled after ten minutes', async () => {
    await using database = await open()
    await using publishing = await startPublishing(database)
    const context = { ...publishing.context, removalWait: 0 }
    await remove(publishing, await publishing.publish({ '/a.html': 'A' }))
    const { blobs, held } = holdWrites(context.blobs)
    const announcing = publishing.announce({ '/a.html': 'A' }, publishing.project, { ...context, blobs })
    const refused = assert.rejects(announcing, { code: 'not_found' })
    await held.begun
    publishing.clock.at += 10 * minute
    await sweep(context)
    assert.deepEqual(await digestsOnDisk(publishing), [digestOf('A')])
    publishing.clock.at += 1
    await sweep(context)
    assert.deepEqual(await digestsOnDisk(publishing), [])
    held.release()
    await refused
  })

  test('an archive that becomes ready during the sweep keeps its files', async () => {
    await using database = await open()
    await using publishing = await startPublishing(database)
    const { context } = publishing
    await remove(publishing, await publishing.publish({ '/a.html': 'A', '/b.html': 'B' }))
    await publishing.publish({ '/c.html': 'C' })
    let archive: Promise<DeploymentRow> | undefined
    const blobs = before(context.blobs, 'readDocument', async () => {
      archive ??= publishing.sendArchive({ '/a.html': 'A' })
      await archive
    })
    await sweep({ ...context, blobs })
    assert.ok(archive)
    assert.deepEqual(await publishing.contents(await archive), { '/a.html': 'A' })
    await sweep(context)
    assert.deepEqual(await publishing.contents(await archive), { '/a.html': 'A' })
    assert.equal((await publishing.onDisk()).length, 4)
  })
})
