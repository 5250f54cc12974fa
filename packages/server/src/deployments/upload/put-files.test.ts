import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onEachDatabase } from '../../database/each-database.test-kit.ts'
import { day } from '../../kernel/clock.ts'
import { breakingOff, inChunks } from '../archive/archive.test-kit.ts'
import { type TarPart, tar, tarGz } from '../archive/tar.test-kit.ts'
import {
  alone,
  by,
  digestOf,
  type Publishing,
  removeProject,
  startPublishing,
} from '../deployments.test-kit.ts'
import type { DeploymentRow } from '../store.ts'
import { sweep } from '../sweep/sweep.ts'
import { AnnouncedManifests } from './announced-manifests.ts'
import { putFile, putFiles } from './put-files.ts'

onEachDatabase('putting a file', ({ open }) => {
  test('content that differs from the list is refused: different, too short and too long', async () => {
    await using database = await open()
    await using publishing = await startPublishing(database)
    const { deployment } = await publishing.announce({ '/a.html': 'hello' })
    const before = await publishing.onDisk()
    for (const content of ['jello', 'hell', '', 'hello, and more']) {
      await assert.rejects(publishing.put(deployment, content, digestOf('hello')), {
        code: 'digest_mismatch',
      })
    }
    assert.deepEqual(await publishing.onDisk(), before)
    await assert.rejects(publishing.finalize(deployment), { code: 'files_missing' })
  })

  test('a file that is not listed is refused', async () => {
    await using database = await open()
    await using publishing = await startPublishing(database)
    const { deployment } = await publishing.announce({ '/a.html': 'hello' })
    const before = await publishing.onDisk()
    await assert.rejects(publishing.put(deployment, 'more'), { code: 'file_not_declared' })
    assert.deepEqual(await publishing.onDisk(), before)
  })

  test('a file for an upload that was cancelled is answered with that', async () => {
    await using database = await open()
    await using publishing = await startPublishing(database)
    const { context, project } = publishing
    const { deployment } = await publishing.announce({ '/a.html': 'hello' })
    await removeProject(context, { project, by })
    publishing.clock.at += 2 * day
    await sweep(context)
    await assert.rejects(publishing.put(deployment, 'hello'), { code: 'not_found', message: /was cancelled/ })
    assert.deepEqual(await publishing.onDisk(), [])
  })

  test('an aborted upload leaves nothing in staging and can be repeated', async () => {
    await using database = await open()
    await using publishing = await startPublishing(database)
    const { context, hold } = publishing
    const { deployment } = await publishing.announce({ '/a.html': 'hello' })
    const before = await publishing.onDisk()
    const gone = new Error('the connection was closed')
    const content = breakingOff(Buffer.from('hel'), gone)
    const upload = { deployment, sha256: digestOf('hello'), content, arriving: alone }
    await assert.rejects(putFile(context, new AnnouncedManifests(context.blobs), hold, upload), gone)
    assert.deepEqual(await publishing.onDisk(), before)
    await publishing.put(deployment, 'hello')
    await publishing.put(deployment, 'hello')
    assert.deepEqual(await publishing.contents(await publishing.finalize(deployment)), { '/a.html': 'hello' })
  })

  test('a finalized deployment accepts no files, even if it became ready during the upload', async () => {
    await using database = await open()
    await using publishing = await startPublishing(database)
    const { deployment } = await publishing.announce({ '/a.html': 'hello' })
    await publishing.put(deployment, 'hello')
    const ready = await publishing.finalize(deployment)
    const before = await publishing.onDisk()
    await assert.rejects(publishing.put(ready, 'hello'), { code: 'deployment_finalized' })
    await assert.rejects(publishing.put(deployment, 'hello'), { code: 'deployment_finalized' })
    assert.deepEqual(await publishing.onDisk(), before)
  })

  test('a deployment removed during the upload accepts no files, and none is left behind', async () => {
    await using database = await open()
    await using publishing = await startPublishing(database)
    const { context, project } = publishing
    const { deployment } = await publishing.announce({ '/a.html': 'hello' })
    const before = await publishing.onDisk()
    await removeProject(context, { project, by: { kind: 'system', id: null, name: 'The test' } })
    await assert.rejects(publishing.put(deployment, 'hello'), { code: 'not_found' })
    assert.deepEqual(await publishing.onDisk(), before)
    assert.deepEqual(await database.read.selectFrom('blobs').selectAll().execute(), [])
  })
})

const site = { '/a.html': 'A', '/b.html': 'B', '/c.html': 'C' }
const parts = (contents: string[]): TarPart[] =>
  contents.map((content) => ({ name: digestOf(content), content }))
const packed = (...contents: string[]) => tarGz(...parts(contents))

function send(
  { context }: Publishing,
  deployment: DeploymentRow,
  archive: Buffer,
  format: 'tar' | 'tar.gz' = 'tar.gz',
): Promise<number> {
  const input = { deployment, body: inChunks(archive), format, arriving: alone }
  return putFiles(context, new AnnouncedManifests(context.blobs), input)
}

onEachDatabase('putting many files', ({ open }) => {
  test('several archives and single files together complete the deployment', async () => {
    await using database = await open()
    await using publishing = await startPublishing(database)
    const { deployment } = await publishing.announce(site)
    assert.equal(await send(publishing, deployment, packed('A')), 1)
    assert.equal(await send(publishing, deployment, tar(...parts(['A', 'B'])), 'tar'), 2)
    await assert.rejects(publishing.finalize(deployment), { extra: { missing: [digestOf('C')] } })
    await publishing.put(deployment, 'C')
    assert.deepEqual(await publishing.contents(await publishing.finalize(deployment)), site)
  })

  test('one unlisted or mismatched file, and nothing of the archive is stored', async () => {
    await using database = await open()
    await using publishing = await startPublishing(database)
    const { deployment } = await publishing.announce(site)
    const before = await publishing.onDisk()
    const lying = tarGz({ name: digestOf('A'), content: 'A' }, { name: digestOf('B'), content: 'not B' })
    await assert.rejects(send(publishing, deployment, packed('A', 'D')), { code: 'file_not_declared' })
    await assert.rejects(send(publishing, deployment, lying), { code: 'digest_mismatch' })
    const plain = tar(...parts(['A']), { name: digestOf('B'), content: 'C' })
    await assert.rejects(send(publishing, deployment, plain, 'tar'), { code: 'digest_mismatch' })
    await assert.rejects(send(publishing, deployment, packed('A').subarray(0, 40)), {
      code: 'archive_truncated',
    })
    assert.deepEqual(await publishing.onDisk(), before)
    assert.deepEqual(await database.read.selectFrom('blobs').selectAll().execute(), [])
  })

  test('a deployment that is ready, or was removed meanwhile, accepts no files, and none is left behind', async () => {
    await using database = await open()
    await using publishing = await startPublishing(database)
    const { context, project } = publishing
    const { deployment } = await publishing.announce(site)
    await send(publishing, deployment, packed('A', 'B', 'C'))
    await publishing.finalize(deployment)
    await assert.rejects(send(publishing, deployment, packed('A')), { code: 'deployment_finalized' })

    const { deployment: removed } = await publishing.announce({ '/d.html': 'D' })
    const before = await publishing.onDisk()
    await removeProject(context, { project, by })
    await assert.rejects(send(publishing, removed, packed('D')), { code: 'not_found' })
    assert.deepEqual(await publishing.onDisk(), before)
  })
})
