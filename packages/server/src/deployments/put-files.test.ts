import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onEachDatabase } from '../database/each-database.test-kit.ts'
import { inChunks } from './archive/archive.test-kit.ts'
import { tarGz } from './archive/tar.test-kit.ts'
import { by, digestOf, type Publishing, removeProject, startPublishing } from './deployments.test-kit.ts'
import { announcedSizes } from './put-file.ts'
import { putFiles } from './put-files.ts'
import type { DeploymentRow } from './store.ts'

const site = { '/a.html': 'A', '/b.html': 'B', '/c.html': 'C' }
const packed = (...contents: string[]) =>
  tarGz(...contents.map((content) => ({ name: digestOf(content), content })))

function send({ context }: Publishing, deployment: DeploymentRow, archive: Buffer): Promise<number> {
  return putFiles(context, announcedSizes(context), { deployment, body: inChunks(archive) })
}

onEachDatabase('putting many files', ({ open }) => {
  test('several archives and single files together make the deployment whole', async () => {
    await using database = await open()
    await using publishing = await startPublishing(database)
    const { deployment } = await publishing.announce(site)
    assert.equal(await send(publishing, deployment, packed('A', 'B')), 2)
    await assert.rejects(publishing.finalize(deployment), { extra: { missing: [digestOf('C')] } })
    await publishing.put(deployment, 'C')
    assert.deepEqual(await publishing.contents(await publishing.finalize(deployment)), site)
  })

  test('one file that was not announced, or not what it says, and none of the archive is taken in', async () => {
    await using database = await open()
    await using publishing = await startPublishing(database)
    const { deployment } = await publishing.announce(site)
    const before = await publishing.onDisk()
    const lying = tarGz({ name: digestOf('A'), content: 'A' }, { name: digestOf('B'), content: 'not B' })
    await assert.rejects(send(publishing, deployment, packed('A', 'D')), { code: 'file_not_declared' })
    await assert.rejects(send(publishing, deployment, lying), { code: 'digest_mismatch' })
    await assert.rejects(send(publishing, deployment, packed('A').subarray(0, 40)), {
      code: 'archive_truncated',
    })
    assert.deepEqual(await publishing.onDisk(), before)
    assert.deepEqual(await database.read.selectFrom('blobs').selectAll().execute(), [])
  })

  test('a deployment that is ready, or was removed meanwhile, takes no files and none is left', async () => {
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
