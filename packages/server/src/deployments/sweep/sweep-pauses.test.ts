import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '@masthead/testing/until.ts'
import type { BlobStore } from '../../blobs/blob-store.ts'
import { onEachDatabase } from '../../database/each-database.test-kit.ts'
import { digestOf, startPublishing } from '../deployments.test-kit.ts'
import { before, digestsOnDisk, remove } from './sweep.test-kit.ts'
import { sweep } from './sweep.ts'
import { SweepPauses } from './sweep-pauses.ts'

onEachDatabase('the sweep of large accounts', ({ open }) => {
  test('an account is left alone for 20 times as long as its last sweep took', async () => {
    await using database = await open()
    await using publishing = await startPublishing(database)
    const { context } = publishing
    let time = 0
    const pauses = new SweepPauses(() => time)
    await publishing.publish({ '/index.html': 'kept' })
    const removeAnother = async () =>
      remove(publishing, await publishing.publish({ '/a.html': 'A' }, { activate: false }))
    await removeAnother()
    let isSlow = true
    const blobs = before(context.blobs, 'readDocument', async () => {
      if (isSlow) time += 500
      isSlow = false
    })
    await sweep({ ...context, blobs }, pauses)
    await removeAnother()
    time += 9_999
    await sweep(context, pauses)
    assert.ok((await digestsOnDisk(publishing)).includes(digestOf('A')))
    time += 1
    await sweep(context, pauses)
    assert.deepEqual(await digestsOnDisk(publishing), [digestOf('kept')])
  })

  test('accounts with few deployments do not wait for one with many', async () => {
    await using database = await open()
    await using publishing = await startPublishing(database)
    const { context } = publishing
    await remove(publishing, await publishing.publish({ '/a.html': 'A' }, { activate: false }))
    for (const content of ['B', 'C']) await publishing.publish({ '/b.html': content }, { activate: false })
    const small = await publishing.addAccount()
    const project = await publishing.addProject('small', small.id)
    await remove(publishing, await publishing.publish({ '/s.html': 'S' }, { of: project, activate: false }))
    const released = Promise.withResolvers<void>()
    const readDocument: BlobStore['readDocument'] = async (name) => {
      const document = await context.blobs.readDocument(name)
      if (document?.includes(digestOf('B'))) await released.promise
      return document
    }
    const sweeping = sweep({ ...context, blobs: { ...context.blobs, readDocument } })
    await until(async () => !(await digestsOnDisk(publishing)).includes(digestOf('S')))
    assert.ok((await digestsOnDisk(publishing)).includes(digestOf('A')))
    released.resolve()
    await sweeping
    assert.ok(!(await digestsOnDisk(publishing)).includes(digestOf('A')))
  })
})
