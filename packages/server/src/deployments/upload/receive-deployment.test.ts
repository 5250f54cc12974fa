import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onEachDatabase } from '../../database/each-database.test-kit.ts'
import { breakingOff } from '../archive/archive.test-kit.ts'
import { tarGz } from '../archive/tar.test-kit.ts'
import { alone, by, digestOf, removeProject, startPublishing } from '../deployments.test-kit.ts'
import { sweep } from '../sweep/sweep.ts'
import { receiveDeployment } from './receive-deployment.ts'

onEachDatabase('an archive', ({ open }) => {
  test('is published in one request, with equal files stored once', async () => {
    await using database = await open()
    await using publishing = await startPublishing(database)
    const site = { '/index.html': 'home', '/a/copy.html': 'home', '/b.txt': 'B' }
    const deployment = await publishing.sendArchive(site)
    assert.deepEqual([deployment.state, deployment.files, deployment.bytes], ['ready', 3, 9])
    assert.equal(await publishing.active(), deployment.id)
    assert.deepEqual(await publishing.contents(deployment), site)
    const blobs = (await publishing.onDisk()).filter((path) => path.startsWith('acc_'))
    assert.equal(blobs.length, 2)
  })

  test('that is refused leaves no deployment, no staged files and, after a sweep, nothing at all', async () => {
    await using database = await open()
    await using publishing = await startPublishing(database)
    const good = tarGz({ name: 'index.html', content: 'home' })
    const escaping = tarGz({ name: 'index.html', content: 'home' }, { name: '../evil.html', content: 'x' })
    await assert.rejects(publishing.sendArchive(escaping), { code: 'path_invalid' })
    await assert.rejects(publishing.sendArchive(good.subarray(0, 40)), { code: 'archive_truncated' })
    await assert.rejects(publishing.sendArchive(Buffer.from('no archive')), { name: 'Problem' })
    const gone = new Error('the connection was closed')
    const body = breakingOff(good, gone)
    const upload = {
      project: publishing.project,
      format: 'tar.gz',
      body,
      arriving: alone,
      activate: true,
      by,
    } as const
    await assert.rejects(receiveDeployment(publishing.context, upload), gone)

    assert.deepEqual(await database.read.selectFrom('deployments').selectAll().execute(), [])
    assert.deepEqual(await publishing.onDisk(), [])
    await sweep(publishing.context)
    assert.deepEqual(await database.read.selectFrom('discarded_manifests').selectAll().execute(), [])
  })

  test('for a project that is deleted meanwhile leaves nothing after a sweep', async () => {
    await using database = await open()
    await using publishing = await startPublishing(database)
    const { context, project } = publishing
    let removed = false
    const writeDocument: typeof context.blobs.writeDocument = async (...document) => {
      if (!removed) await removeProject(context, { project, by })
      removed = true
      await sweep(context)
      await context.blobs.writeDocument(...document)
    }
    const using = { ...context, blobs: { ...context.blobs, writeDocument } }
    await assert.rejects(publishing.sendArchive({ '/a.html': 'A' }, { using }), { code: 'not_found' })
    await sweep(context)
    assert.deepEqual(await publishing.onDisk(), [])
    assert.deepEqual(await database.read.selectFrom('blobs').selectAll().execute(), [])
  })

  test('that went live is kept even if its acknowledgement is lost', async () => {
    await using database = await open()
    await using publishing = await startPublishing(database)
    const { context } = publishing
    const lost = new Error('Connection terminated unexpectedly')
    const write: typeof database.write = async (work) => {
      const result = await database.write(work)
      if ((await publishing.active()) !== null) throw lost
      return result
    }
    let failed: unknown
    const using = { ...context, database: { ...database, write } }
    await publishing.sendArchive({ '/a.html': 'A' }, { using }).catch((error: unknown) => {
      failed = error
    })
    assert.equal(failed, lost)
    const [deployment] = await database.read.selectFrom('deployments').selectAll().execute()
    assert.equal(deployment?.id, await publishing.active())
    assert.deepEqual(deployment && (await publishing.contents(deployment)), { '/a.html': 'A' })
  })

  test('on a disk that fails, and removes nothing either, ends with that error and leaves no deployment', async () => {
    await using database = await open()
    await using publishing = await startPublishing(database)
    const { context } = publishing
    const failing = new Error('EIO: i/o error, write')
    const blobs: typeof context.blobs = {
      ...context.blobs,
      stageAll: async (batch) =>
        (await context.blobs.stageAll(batch)).map(({ sha256, size, send, commit }) => {
          const discard = () => Promise.reject(new Error('EIO: i/o error, unlink'))
          return { sha256, size, send, commit, discard }
        }),
      writeDocument: () => Promise.reject(failing),
    }
    await assert.rejects(
      publishing.sendArchive({ '/a.html': 'A', '/b.html': 'B' }, { using: { ...context, blobs } }),
      failing,
    )
    assert.deepEqual(await database.read.selectFrom('deployments').selectAll().execute(), [])
  })

  test('interrupted while its files are moved leaves nothing after a sweep', async () => {
    await using database = await open()
    await using publishing = await startPublishing(database)
    const { context } = publishing
    const full = new Error('no space left on device')
    const commitAll: typeof context.blobs.commitAll = async (staged, accountId) => {
      await context.blobs.commitAll(
        staged.filter(({ sha256 }) => sha256 !== digestOf('B')),
        accountId,
      )
      throw full
    }
    const using = { ...context, blobs: { ...context.blobs, commitAll } }
    await assert.rejects(publishing.sendArchive({ '/a.html': 'A', '/b.html': 'B' }, { using }), full)
    assert.deepEqual(
      (await publishing.onDisk()).filter((path) => path.startsWith('staging')),
      [],
    )
    await sweep(context)
    assert.deepEqual(await publishing.onDisk(), [])
  })
})
