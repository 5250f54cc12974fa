import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '@masthead/testing/until.ts'
import type { KyselyPlugin } from 'kysely'
import { forgetDeletedAccounts, markDeleted } from '../../accounts/account-lifecycle.ts'
import { onEachDatabase } from '../../database/each-database.test-kit.ts'
import { day } from '../../kernel/clock.ts'
import { upsertBlobs } from '../blob-row-store.ts'
import { by, digestOf, removeProject, startPublishing } from '../deployments.test-kit.ts'
import { encodeNextDeployment } from '../encode/encode-deployment.ts'
import { manifestName } from '../manifest-document.ts'
import { claimTime } from './removals.ts'
import { before, holdRemovals, remove, text } from './sweep.test-kit.ts'
import { sweep } from './sweep.ts'

onEachDatabase('the sweep', ({ open }) => {
  test('the files of a deleted account are removed before its rows, however late that is', async () => {
    await using database = await open()
    await using publishing = await startPublishing(database)
    const { context, account, project, clock } = publishing
    await publishing.publish({ '/a.html': 'A' })
    await database.write((tx) => markDeleted(tx, { accountId: account.id, by, at: clock.at }))
    await removeProject(context, { project, by })
    clock.at += 31 * day
    await forgetDeletedAccounts(context)
    await sweep(context)
    assert.deepEqual(await publishing.onDisk(), [])
    await forgetDeletedAccounts(context)
    assert.deepEqual(await database.read.selectFrom('accounts').select('id').execute(), [])
  })

  test('unused files are removed with their compressed forms and manifests, and others stay', async () => {
    await using database = await open()
    await using publishing = await startPublishing(database)
    const { context } = publishing
    const other = await publishing.addProject('other', publishing.account.id)
    const kept = await publishing.publish({ '/shared.html': text('shared') }, { of: other })
    const wanted = await publishing.onDisk()
    const gone = await publishing.publish({ '/a.html': text('only here'), '/b.html': text('shared') })
    while (await encodeNextDeployment(context));
    assert.equal((await publishing.onDisk()).length, 2 + 2 * 4)

    await remove(publishing, gone)
    await sweep(context)
    const left = await publishing.onDisk()
    assert.deepEqual(await publishing.contents(kept), { '/shared.html': text('shared') })
    assert.deepEqual(
      left.filter((path) => !/\.(br|zst|gz)$/.test(path)),
      wanted,
    )
    assert.equal(left.length, 1 + 4)
    const rows = await database.read.selectFrom('blobs').selectAll().execute()
    assert.deepEqual(
      rows.map(({ sha256, doomed_at }) => [sha256, doomed_at]),
      [[digestOf(text('shared')), null]],
    )
    assert.deepEqual(await database.read.selectFrom('discarded_manifests').selectAll().execute(), [])
  })

  test('the files of an account are never read all at once, however many they are', async () => {
    await using database = await open()
    await using publishing = await startPublishing(database)
    const { context, account } = publishing
    await remove(publishing, await publishing.publish({ '/a.html': 'A' }))
    const many = Array.from({ length: 3_500 }, (_, n) => ({ sha256: digestOf(`unused ${n}`), size: 1 }))
    await database.write((tx) => upsertBlobs(tx, account.id, many))
    let mostRows = 0
    const counter: KyselyPlugin = {
      transformQuery: ({ node }) => node,
      async transformResult({ result }) {
        mostRows = Math.max(mostRows, result.rows.length)
        return result
      },
    }
    await sweep({ ...context, database: { ...database, read: database.read.withPlugin(counter) } })
    assert.deepEqual(await database.read.selectFrom('blobs').select('sha256').execute(), [])
    assert.equal(mostRows, 1_000)
  })

  test('a deleted deployment whose manifest is damaged keeps no files of the account', async () => {
    await using database = await open()
    await using publishing = await startPublishing(database)
    const { context } = publishing
    const broken = await publishing.publish({ '/a.html': 'A', '/b.html': 'B' })
    const kept = await publishing.publish({ '/b.html': 'B' })
    await context.blobs.writeDocument(manifestName(broken.id), Buffer.from('{"version":1,"fi'))
    await remove(publishing, broken)
    await sweep(context)
    assert.deepEqual(await publishing.contents(kept), { '/b.html': 'B' })
    assert.equal((await publishing.onDisk()).length, 2)
    assert.deepEqual(await database.read.selectFrom('discarded_manifests').selectAll().execute(), [])
  })

  test('an upload that starts after a file was claimed for removal has to send it again', async () => {
    await using database = await open()
    await using publishing = await startPublishing(database)
    const { context, clock } = publishing
    const gone = await publishing.publish({ '/a.html': text('A') })
    while (await encodeNextDeployment(context));
    await remove(publishing, gone)
    const cut = new Error('killed')
    // Compressed forms are removed before the file itself; the second removal is the last one here.
    let removals = 0
    const blobs = before(context.blobs, 'remove', async () => {
      if (++removals > 2) throw cut
    })
    await assert.rejects(sweep({ ...context, blobs }), { errors: [cut] })

    clock.at += claimTime
    const { deployment, missing } = await publishing.announce({ '/a.html': text('A') })
    assert.deepEqual(missing, [digestOf(text('A'))])
    await publishing.put(deployment, text('A'))
    const ready = await publishing.finalize(deployment)
    assert.deepEqual(await publishing.contents(ready), { '/a.html': text('A') })
    await sweep(context)
    while (await encodeNextDeployment(context));
    assert.deepEqual(await publishing.contents(ready), { '/a.html': text('A') })
    assert.equal((await publishing.onDisk()).length, 1 + 4)
  })

  test('after an interruption at any call it completes on the next run', async () => {
    await using database = await open()
    await using publishing = await startPublishing(database)
    const { context, clock } = publishing
    const kept = await publishing.publish({ '/kept.html': text('kept'), '/shared.html': text('shared') })
    while (await encodeNextDeployment(context));
    const wanted = await publishing.onDisk()
    const cut = new Error('killed')
    let completed = false
    for (let allowed = 0; !completed; allowed++) {
      const options = { activate: false }
      const one = await publishing.publish({ '/a.html': text('A'), '/s.html': text('shared') }, options)
      const two = await publishing.sendArchive({ '/b.html': text('B') }, options)
      while (await encodeNextDeployment(context));
      await remove(publishing, one)
      await remove(publishing, two)
      let calls = 0
      const count = async () => {
        if (++calls > allowed) throw cut
      }
      const blobs = before(
        before(before(context.blobs, 'remove', count), 'removeDocument', count),
        'readDocument',
        count,
      )
      completed = await sweep({ ...context, blobs }).then(
        () => true,
        (error: AggregateError) => {
          assert.deepEqual(error.errors, [cut])
          return false
        },
      )
      assert.deepEqual(Object.keys(await publishing.contents(kept)), ['/kept.html', '/shared.html'])
      clock.at += claimTime
      await sweep(context)
      assert.deepEqual(await publishing.onDisk(), wanted, `after ${allowed} calls`)
    }
  })

  test('no transaction waits for the store, and an upload of other files does not wait either', async () => {
    await using database = await open()
    await using publishing = await startPublishing(database)
    const { context } = publishing
    await remove(publishing, await publishing.publish({ '/a.html': 'A' }))
    const { held, blobs } = holdRemovals(context.blobs)
    const sweeping = sweep({ ...context, blobs })
    await held.begun
    const other = await publishing.publish({ '/b.html': 'B' })
    assert.deepEqual(await publishing.contents(other), { '/b.html': 'B' })
    assert.deepEqual(await publishing.contents(await publishing.sendArchive({ '/c.html': 'C' })), {
      '/c.html': 'C',
    })
    held.release()
    await sweeping
    assert.equal((await publishing.onDisk()).length, 4)
  })

  for (const as of ['files', 'archive'] as const) {
    test(`a file that is removed at this moment is stored again afterwards, sent as ${as}`, async () => {
      await using database = await open()
      await using publishing = await startPublishing(database)
      const { context } = publishing
      await remove(publishing, await publishing.publish({ '/a.html': 'A' }))
      const { held, blobs } = holdRemovals(context.blobs)
      const sweeping = sweep({ ...context, blobs })
      await held.begun
      const site = { '/a.html': 'A', '/b.html': 'B' }
      const sent = as === 'files' ? publishing.publish(site) : publishing.sendArchive(site)
      await until(
        async () => (await database.read.selectFrom('deployments').select('id').execute()).length > 0,
      )
      held.release()
      await sweeping
      assert.deepEqual(await publishing.contents(await sent), site)
      await sweep(context)
      assert.deepEqual(await publishing.contents(await sent), site)
    })

    test(`a removal that was never confirmed delays ${as} with the same file, until it cannot happen any more`, async () => {
      await using database = await open()
      await using publishing = await startPublishing(database)
      const { clock } = publishing
      const context = { ...publishing.context, removalWait: 0 }
      await remove(publishing, await publishing.publish({ '/a.html': 'A' }))
      const { held, blobs } = holdRemovals(context.blobs)
      const killed = sweep({ ...context, blobs })
      await held.begun
      const site = { '/a.html': 'A' }
      const send = () =>
        (as === 'files' ? publishing.publish : publishing.sendArchive)(site, { using: context })
      const refusal = { code: 'unavailable', headers: { 'Retry-After': '300' } }
      await assert.rejects(send(), refusal)
      clock.at += claimTime - 1
      await assert.rejects(send(), { ...refusal, headers: { 'Retry-After': '1' } })
      clock.at += 1
      const ready = await send()
      // It is late, so it neither removes the other files nor deletes rows that are not its own.
      held.release()
      await assert.rejects(killed, AggregateError)
      assert.deepEqual(await publishing.contents(ready), site)
      const rows = await database.read.selectFrom('blobs').selectAll().execute()
      assert.deepEqual(
        rows.map(({ sha256, size, doomed_at }) => [sha256, size, doomed_at]),
        [[digestOf('A'), 1, null]],
      )
    })
  }

  test('two sweeps at once never remove the same file, so neither confirms what the other still removes', async () => {
    await using database = await open()
    await using publishing = await startPublishing(database)
    const { context } = publishing
    await remove(publishing, await publishing.publish({ '/a.html': 'A' }))
    const { held, blobs } = holdRemovals(context.blobs)
    const first = sweep({ ...context, blobs })
    await held.begun
    await sweep(context)
    assert.equal((await publishing.onDisk()).length, 2)
    held.release()
    await first
    assert.deepEqual(await publishing.onDisk(), [])
    assert.deepEqual(await database.read.selectFrom('blobs').selectAll().execute(), [])
    assert.deepEqual(await database.read.selectFrom('discarded_manifests').selectAll().execute(), [])
  })

  test('a ready deployment without its manifest stops the sweep, because its files are unknown', async () => {
    await using database = await open()
    await using publishing = await startPublishing(database)
    const { context } = publishing
    const broken = await publishing.publish({ '/a.html': 'A' })
    await remove(publishing, await publishing.publish({ '/b.html': 'B' }))
    await context.blobs.removeDocument(`manifests/${broken.id}.json`)
    const files = await publishing.onDisk()
    await assert.rejects(sweep(context), AggregateError)
    assert.deepEqual(await publishing.onDisk(), files)
  })

  test('an upload is cancelled after a day, but not if it became ready at the last moment', async () => {
    await using database = await open()
    await using publishing = await startPublishing(database)
    const { context, clock } = publishing
    const { deployment: abandoned } = await publishing.announce({ '/a.html': 'A' })
    await publishing.put(abandoned, 'A')
    const { deployment: late } = await publishing.announce({ '/b.html': 'B' })
    await publishing.put(late, 'B')
    clock.at += day
    await sweep(context)
    assert.ok(await publishing.find(abandoned.id))
    const ready = await publishing.finalize(late)
    clock.at += 1
    await sweep(context)
    assert.equal(await publishing.find(abandoned.id), undefined)
    assert.deepEqual(await publishing.contents(ready), { '/b.html': 'B' })
    assert.equal((await publishing.onDisk()).length, 2)
  })
})
