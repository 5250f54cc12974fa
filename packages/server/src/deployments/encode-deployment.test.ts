import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { onEachDatabase } from '../database/each-database.test-kit.ts'
import { by, removeProject, startPublishing } from './deployments.test-kit.ts'
import { encodeNextDeployment } from './encode-deployment.ts'
import { readManifest } from './manifest-document.ts'
import { sweep } from './sweep.ts'

const text = (word: string) => `${word} `.repeat(200)
const site = { '/a.html': text('A'), '/b.css': text('B'), '/c.png': text('C'), '/d.txt': 'short' }

onEachDatabase('compressing a deployment', ({ open }) => {
  test('the forms that are worth it appear in the manifest and on disk, and the edge hears of it', async () => {
    await using database = await open()
    await using publishing = await startPublishing(database)
    const { context } = publishing
    const deployment = await publishing.publish(site)
    publishing.heard.length = 0
    assert.equal(await encodeNextDeployment(context), true)
    assert.deepEqual(publishing.heard, [{ kind: 'project', subject: 'site' }])
    const manifest = await readManifest(context.blobs, deployment.id)
    const forms = Array.from(manifest ?? [], ([path, { encoded }]) => [path, encoded && Object.keys(encoded)])
    assert.deepEqual(Object.fromEntries(forms), {
      '/a.html': ['br', 'zstd', 'gzip'],
      '/b.css': ['br', 'zstd', 'gzip'],
      '/c.png': undefined,
      '/d.txt': [],
    })
    assert.deepEqual(await publishing.contents(deployment), site)
    assert.equal((await publishing.onDisk()).length, 1 + 4 + 2 * 3)
    assert.equal(await encodeNextDeployment(context), false)
  })

  test('a redeployment without a change has them at once', async () => {
    await using database = await open()
    await using publishing = await startPublishing(database)
    const { context } = publishing
    const first = await publishing.publish(site)
    await encodeNextDeployment(context)
    const second = await publishing.sendArchive(site)
    assert.deepEqual(
      await readManifest(context.blobs, second.id),
      new Map([...((await readManifest(context.blobs, first.id)) ?? [])]),
    )
    assert.equal(await encodeNextDeployment(context), false)
  })

  test('interrupted it goes on with what is left, and leaves nothing in staging', async () => {
    await using database = await open()
    await using publishing = await startPublishing(database)
    const { context } = publishing
    const deployment = await publishing.publish(site)
    const cut = new Error('killed')
    let staged = 0
    const stage: typeof context.blobs.stage = (...source) => {
      if (++staged === 5) throw cut
      return context.blobs.stage(...source)
    }
    await assert.rejects(encodeNextDeployment({ ...context, blobs: { ...context.blobs, stage } }), cut)
    assert.deepEqual(
      (await publishing.onDisk()).filter((path) => path.startsWith('staging')),
      [],
    )
    const reads: string[] = []
    const read: typeof context.blobs.read = (key) => {
      reads.push(key.sha256)
      return context.blobs.read(key)
    }
    await encodeNextDeployment({ ...context, blobs: { ...context.blobs, read } })
    assert.equal(reads.length, 2, 'the file that was done is not done again')
    assert.deepEqual(await publishing.contents(deployment), site)
  })

  test('told to stop it ends between two files and goes on later', async () => {
    await using database = await open()
    await using publishing = await startPublishing(database)
    const { context } = publishing
    const deployment = await publishing.publish(site)
    const stopping = new AbortController()
    const read: typeof context.blobs.read = (key) => {
      stopping.abort()
      return context.blobs.read(key)
    }
    await encodeNextDeployment({ ...context, blobs: { ...context.blobs, read } }, stopping.signal)
    assert.equal((await publishing.find(deployment.id))?.encoded_at, null)
    assert.equal(await encodeNextDeployment(context), true)
    assert.notEqual((await publishing.find(deployment.id))?.encoded_at, null)
    assert.deepEqual(await publishing.contents(deployment), site)
  })

  test('a deployment that is removed meanwhile is no failure and leaves nothing behind', async () => {
    await using database = await open()
    await using publishing = await startPublishing(database)
    const { context, project } = publishing
    const removal = async () => {
      await removeProject(context, { project, by })
      await sweep(context)
    }
    await publishing.publish({ ...site, '/noise.txt': randomBytes(500).toString('hex') })
    let removed: Promise<void> | undefined
    const read: typeof context.blobs.read = async (key) => {
      const bytes = await context.blobs.read(key)
      removed ??= removal()
      await removed
      return bytes
    }
    assert.equal(await encodeNextDeployment({ ...context, blobs: { ...context.blobs, read } }), true)
    assert.deepEqual(await publishing.onDisk(), [])
    assert.equal(await encodeNextDeployment(context), false)
  })
})
