import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BlobStore } from '../../blobs/blob-store.ts'
import { onEachDatabase } from '../../database/each-database.test-kit.ts'
import { listEvents } from '../../events/list-events.ts'
import { day } from '../../kernel/clock.ts'
import { by, digestOf, startPublishing } from '../deployments.test-kit.ts'
import { encodeNextDeployment } from '../encode/encode-deployment.ts'
import { readManifest } from '../manifest-document.ts'
import { deleteDeployment } from '../remove-deployments.ts'
import { sweep } from '../sweep/sweep.ts'
import { announceFiles } from './announce-files.ts'
import { finalizeDeployment } from './finalize-deployment.ts'

onEachDatabase('finalizing', ({ open }) => {
  test('a deployment with missing files is refused and lists them', async () => {
    await using database = await open()
    await using publishing = await startPublishing(database)
    const { deployment } = await publishing.announce({ '/a.html': 'A', '/b.html': 'B' })
    await publishing.put(deployment, 'A')
    await assert.rejects(publishing.finalize(deployment), {
      code: 'files_missing',
      extra: { missing: [digestOf('B')] },
    })
    assert.equal((await publishing.find(deployment.id))?.state, 'uploading')
    await publishing.put(deployment, 'B')
    assert.equal((await publishing.finalize(deployment)).state, 'ready')
  })

  test('a list with a wrong size is refused, also when another upload brings the content', async () => {
    await using database = await open()
    await using publishing = await startPublishing(database)
    const { context, project } = publishing
    const files = { '/a.html': { sha256: digestOf('A'), size: 1_000 } }
    const announce = () => announceFiles(context, { project, files, createdBy: by.name })
    const { deployment, ...announced } = await announce()
    const { deployment: beside } = await announce()
    assert.equal(announced.isNew, true)
    await publishing.publish({ '/other.html': 'A' })
    const before = await publishing.active()
    const input = { project, deployment, activate: true, by, announced }
    await assert.rejects(finalizeDeployment(context, input), { code: 'digest_mismatch' })
    await assert.rejects(publishing.finalize(beside), { code: 'digest_mismatch' })
    assert.equal((await publishing.find(deployment.id))?.state, 'uploading')
    assert.equal(await publishing.active(), before)
  })

  test('a manifest is written once if nothing was missing, with the compressed forms there are', async () => {
    await using database = await open()
    await using publishing = await startPublishing(database)
    const { context, project } = publishing
    const site = { '/a.html': 'A'.repeat(2_000), '/b.html': 'B', '/c.html': 'A'.repeat(2_000) }
    await publishing.publish(site)
    while (await encodeNextDeployment(context));
    let written = 0
    const writeDocument: BlobStore['writeDocument'] = (...document) => {
      written++
      return context.blobs.writeDocument(...document)
    }
    const counting = { ...context, blobs: { ...context.blobs, writeDocument } }
    const { deployment, ...announced } = await publishing.announce(site, project, counting)
    const input = { project, deployment, activate: true, by, announced }
    const ready = await finalizeDeployment(counting, input)
    assert.deepEqual([written, ready.state], [1, 'ready'])
    assert.notEqual(ready.encoded_at, null)
    assert.deepEqual(await publishing.contents(ready), site)
    const files = await readManifest(context.blobs, ready.id)
    assert.ok(files?.get('/c.html')?.encoded?.gzip)
  })

  test('forms that are gone when a process without the list in memory finalizes are not listed', async () => {
    await using database = await open()
    await using publishing = await startPublishing(database)
    const { context } = publishing
    const site = { '/a.html': 'A'.repeat(2_000) }
    await publishing.publish(site)
    while (await encodeNextDeployment(context));
    const { deployment } = await publishing.announce(site)
    await database.write((tx) => tx.updateTable('blobs').set({ encoded: null, encoded_best: 0 }).execute())
    const ready = await publishing.finalize(deployment)
    const files = await readManifest(context.blobs, ready.id)
    assert.deepEqual([files?.get('/a.html')?.encoded, ready.encoded_at], [undefined, null])
  })

  test('of new files, those that were not uploaded are named, also when nothing was looked up before', async () => {
    await using database = await open()
    await using publishing = await startPublishing(database)
    const { context, project } = publishing
    const site = { '/a.html': 'A', '/b.html': 'B', '/image.webp': 'C', '/d.html': 'B' }
    const { deployment, ...announced } = await publishing.announce(site)
    assert.equal(announced.isNew, true)
    const input = { project, deployment, activate: true, by, announced }
    await publishing.put(deployment, 'A')
    await assert.rejects(finalizeDeployment(context, input), {
      code: 'files_missing',
      extra: { missing: [digestOf('B'), digestOf('C')] },
    })
    assert.equal((await publishing.find(deployment.id))?.state, 'uploading')
    for (const content of ['B', 'C']) await publishing.put(deployment, content)
    const ready = await finalizeDeployment(context, input)
    assert.deepEqual([ready.state, ready.encoded_at, ready.quick_encoded_at], ['ready', null, null])
    while (await encodeNextDeployment(context));
    assert.deepEqual(await publishing.contents(ready), site)
    assert.notEqual((await publishing.find(ready.id))?.encoded_at, null)
  })

  test('what was found when files were announced is used, unless it is gone', async () => {
    await using database = await open()
    await using publishing = await startPublishing(database)
    const site = { '/a.html': 'A', '/b.html': 'B', '/c.html': 'A' }
    await publishing.publish(site)
    const { context, project } = publishing
    const again = async () => {
      const { deployment, ...announced } = await publishing.announce(site)
      assert.deepEqual([...(announced.complete?.manifest.keys() ?? [])], Object.keys(site))
      return { project, deployment, activate: true, by, announced }
    }
    assert.equal((await finalizeDeployment(context, await again())).state, 'ready')
    assert.equal((await publishing.announce({ ...site, '/d.html': 'D' })).complete, undefined)

    const late = await again()
    await database.write((tx) => tx.deleteFrom('blobs').where('sha256', '=', digestOf('A')).execute())
    await assert.rejects(finalizeDeployment(context, late), { code: 'files_missing' })
  })

  test('it goes live, unless asked not to', async () => {
    await using database = await open()
    await using publishing = await startPublishing(database)
    const first = await publishing.publish({ '/a.html': 'A' })
    assert.equal(await publishing.active(), first.id)
    assert.equal(first.activated_at, publishing.clock.at)
    const second = await publishing.publish({ '/a.html': 'B' }, { activate: false })
    assert.deepEqual([second.state, second.activated_at], ['ready', null])
    assert.equal(await publishing.active(), first.id)
  })

  test('finalizing again changes nothing and records nothing', async () => {
    await using database = await open()
    await using publishing = await startPublishing(database)
    const { deployment } = await publishing.announce({ '/a.html': 'A' })
    await publishing.put(deployment, 'A')
    const [one, other] = await Promise.all([publishing.finalize(deployment), publishing.finalize(deployment)])
    publishing.clock.at += 1000
    const again = await publishing.finalize(one)
    assert.deepEqual([one.ready_at, other.ready_at], [again.ready_at, again.ready_at])
    const { items } = await listEvents(publishing.context, publishing.account.id, { limit: 100 })
    const types = items.map(({ type }) => type).filter((type) => type.startsWith('deployment.'))
    assert.deepEqual(types, ['deployment.activated', 'deployment.ready'])
  })

  test('an upload cancelled after a day cannot be finalized, and leaves nothing behind', async () => {
    await using database = await open()
    await using publishing = await startPublishing(database)
    const { deployment } = await publishing.announce({ '/a.html': 'A' })
    await publishing.put(deployment, 'A')
    publishing.clock.at += day + 1
    await sweep(publishing.context)
    await assert.rejects(publishing.finalize(deployment), { code: 'not_found' })
    assert.deepEqual(await publishing.onDisk(), [])
  })

  test('exactly the listed and uploaded files are published', async () => {
    await using database = await open()
    await using publishing = await startPublishing(database)
    const site = { '/index.html': 'home', '/a/b.css': 'body {}', '/copy.html': 'home', '/ü.txt': '' }
    assert.deepEqual(await publishing.contents(await publishing.publish(site)), site)
  })

  test('a deployment that is deleted and swept while it is finalized leaves no manifest behind', async () => {
    await using database = await open()
    await using publishing = await startPublishing(database)
    const { context, project } = publishing
    const { deployment } = await publishing.announce({ '/a.html': 'A' })
    await publishing.put(deployment, 'A')
    const writeDocument: BlobStore['writeDocument'] = async (name, content) => {
      await deleteDeployment(context, { project, deploymentId: deployment.id, by })
      await sweep(context)
      await context.blobs.writeDocument(name, content)
    }
    const using = { ...context, blobs: { ...context.blobs, writeDocument } }
    await assert.rejects(publishing.finalize(deployment, { using }), { code: 'not_found' })
    await sweep(context)
    assert.deepEqual(await publishing.onDisk(), [])
  })
})
