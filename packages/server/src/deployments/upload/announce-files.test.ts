import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onEachDatabase } from '../../database/each-database.test-kit.ts'
import { upsertBlobs } from '../blob-row-store.ts'
import { by, digestOf, limits, startPublishing } from '../deployments.test-kit.ts'
import { sweep } from '../sweep/sweep.ts'
import { announceFiles } from './announce-files.ts'

onEachDatabase('announcing files', ({ open }) => {
  test('every file of a first deployment is missing, equal ones once', async () => {
    await using database = await open()
    await using publishing = await startPublishing(database)
    const { deployment, missing } = await publishing.announce({
      '/a.html': 'A',
      '/b.html': 'B',
      '/c.html': 'A',
    })
    assert.deepEqual(missing.sort(), [digestOf('A'), digestOf('B')].sort())
    assert.deepEqual([deployment.state, deployment.files, deployment.bytes], ['uploading', 3, 3])
  })

  test('files that the account has are not missing, whichever of its projects uploaded them', async () => {
    await using database = await open()
    await using publishing = await startPublishing(database)
    await publishing.publish({ '/a.html': 'A' })
    const other = await publishing.addProject('other', publishing.account.id)
    const { missing } = await publishing.announce({ '/x.html': 'A', '/y.html': 'B' }, other)
    assert.deepEqual(missing, [digestOf('B')])
  })

  test('files of another account are missing, and naming their digest does not obtain them', async () => {
    await using database = await open()
    await using publishing = await startPublishing(database)
    await publishing.publish({ '/secret.html': 'the secret of one account' })
    const stranger = await publishing.addAccount()
    const project = await publishing.addProject('strange', stranger.id)
    const digest = digestOf('the secret of one account')
    const { deployment, missing } = await publishing.announce(
      { '/a.html': 'the secret of one account' },
      project,
    )
    assert.deepEqual(missing, [digest])
    await assert.rejects(publishing.finalize(deployment, { of: project }), { code: 'files_missing' })
  })

  test('a digest with two sizes is refused, also when the other size is the stored one', async () => {
    await using database = await open()
    await using publishing = await startPublishing(database)
    const { context, project } = publishing
    const sha256 = digestOf('A')
    const announce = (files: Record<string, { sha256: string; size: number }>) =>
      announceFiles(context, { project, files, createdBy: by.name })
    const twice = announce({ '/a.html': { sha256, size: 1 }, '/b.html': { sha256, size: 2 } })
    await assert.rejects(twice, { code: 'digest_mismatch' })
    await publishing.publish({ '/a.html': 'A' })
    await assert.rejects(announce({ '/a.html': { sha256, size: 2 } }), { code: 'digest_mismatch' })
  })

  test('a list with a path twice, or with one that is a file and a folder, is refused', async () => {
    await using database = await open()
    await using publishing = await startPublishing(database)
    const file = { sha256: digestOf('A'), size: 1 }
    for (const [code, ...paths] of [
      ['path_duplicate', '/a.html', 'a.html'],
      ['path_duplicate', '/caf\u00e9', '/cafe\u0301'],
      ['path_collision', '/a', '/a/b.html'],
      ['path_collision', '/a/b.html', '/a'],
    ] as const) {
      const { context, project } = publishing
      const files = Object.fromEntries(paths.map((path) => [path, file]))
      await assert.rejects(announceFiles(context, { project, files, createdBy: by.name }), { code })
    }
  })

  test('a list beyond the limits is refused and starts no deployment', async () => {
    await using database = await open()
    await using publishing = await startPublishing(database)
    const many = Object.fromEntries(Array.from({ length: limits.files + 1 }, (_, n) => [`/${n}`, 'A']))
    const big = 'x'.repeat(limits.bytesPerFile)
    await assert.rejects(publishing.announce({}), { code: 'deployment_empty' })
    await assert.rejects(publishing.announce(many), { code: 'too_many_files' })
    await assert.rejects(publishing.announce({ '/a': `${big}x` }), { code: 'file_too_large' })
    await assert.rejects(publishing.announce({ '/a': big, '/b': big, '/c': big, '/d': 'x' }), {
      code: 'deployment_too_large',
    })
    const deep = Object.fromEntries(['a', 'b', 'c'].map((name) => [`/${name}${'/x'.repeat(500)}`, 'A']))
    await assert.rejects(publishing.announce(deep), { code: 'too_many_files' })
    assert.deepEqual(await database.read.selectFrom('deployments').selectAll().execute(), [])
    const { deployment } = await publishing.announce({ '/a': big, '/b': big, '/c': big })
    assert.equal(deployment.bytes, limits.bytesPerDeployment)
  })

  test('an account that has the first thousand files is asked for the others, and space is reserved for them', async () => {
    await using database = await open()
    await using publishing = await startPublishing(database)
    const { project, account } = publishing
    const context = { ...publishing.context, limits: { ...limits, files: 2_000 } }
    const site = Object.fromEntries(Array.from({ length: 1_100 }, (_, n) => [`/${n}.txt`, `${n}`]))
    const first = Object.fromEntries(Object.entries(site).slice(0, 1_050))
    const held = Object.values(first).map((content) => ({ sha256: digestOf(content), size: content.length }))
    await database.write((tx) => upsertBlobs(tx, account.id, held))
    const { deployment, missing, complete } = await publishing.announce(site, project, context)
    assert.equal(missing.length, 50)
    assert.equal(complete, undefined)
    const row = await publishing.find(deployment.id)
    assert.equal(row?.reserved_bytes, 50 * 4)
    const all = await publishing.announce(first, project, context)
    assert.deepEqual([all.missing, all.complete?.manifest.size], [[], 1_050])
  })

  test('a manifest that cannot be written leaves nothing behind', async () => {
    await using database = await open()
    await using publishing = await startPublishing(database)
    const { context, project } = publishing
    const full = new Error('no space left on device')
    const blobs = { ...context.blobs, writeDocument: () => Promise.reject(full) }
    await assert.rejects(publishing.announce({ '/a.html': 'A' }, project, { ...context, blobs }), full)
    await sweep(context)
    assert.deepEqual(await database.read.selectFrom('deployments').selectAll().execute(), [])
    assert.deepEqual(await database.read.selectFrom('discarded_manifests').selectAll().execute(), [])
  })

  test('no deployment starts in a project that was just deleted', async () => {
    await using database = await open()
    await using publishing = await startPublishing(database)
    await database.write((tx) => tx.deleteFrom('projects').execute())
    await assert.rejects(publishing.announce({ '/a.html': 'A' }), { code: 'not_found' })
    await assert.rejects(publishing.sendArchive({ '/a.html': 'A' }), { code: 'not_found' })
  })
})
