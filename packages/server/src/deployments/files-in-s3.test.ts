import assert from 'node:assert/strict'
import { test } from 'node:test'
import { skipWithout } from '@masthead/testing/peers/peers.ts'
import { until } from '@masthead/testing/until.ts'
import { BlobsUnavailableError } from '../blobs/blob-store.ts'
import { openTroubledS3Store, storedKeys } from '../blobs/each-store.test-kit.ts'
import { onEachDatabase } from '../database/each-database.test-kit.ts'
import { by, removeProject, startPublishing } from './deployments.test-kit.ts'
import { encodeNextDeployment } from './encode/encode-deployment.ts'
import { claimTime } from './sweep/removals.ts'
import { sweep } from './sweep/sweep.ts'

const text = 'a text that can be compressed, '.repeat(40)

if (!skipWithout('swift')) {
  onEachDatabase('publishing to S3', ({ open }) => {
    test('a deployment is complete, compressed, and swept without a trace', async () => {
      await using database = await open()
      await using trouble = await openTroubledS3Store()
      await using publishing = await startPublishing(database, trouble.store)
      const site = { '/index.html': text, '/a.css': 'body {}', '/empty.txt': '' }
      const first = await publishing.publish(site)
      while (await encodeNextDeployment(publishing.context));
      assert.deepEqual(await publishing.contents(first), site)
      const forms = (await storedKeys(trouble.settings)).filter((key) => /\.(br|gz|zst)$/.test(key))
      assert.ok(forms.length > 0)

      const second = await publishing.sendArchive({ '/index.html': 'another' })
      assert.deepEqual(await publishing.contents(second), { '/index.html': 'another' })
      await removeProject(publishing.context, { project: publishing.project, by })
      await sweep(publishing.context)
      assert.deepEqual(await storedKeys(trouble.settings), [])
      assert.deepEqual(await trouble.inSpool(), [])
    })

    test('whichever request to S3 fails, nothing is published by halves, and it works later', async () => {
      await using database = await open()
      await using trouble = await openTroubledS3Store({ retryWritesMs: 0, retryReadsMs: 0 })
      await using publishing = await startPublishing(database, trouble.store)
      const { proxy } = trouble
      const before = await publishing.publish({ '/index.html': 'before' })
      const site = { '/index.html': 'after', '/a.html': 'A', '/b.html': text }
      for (let failing = 0; ; failing++) {
        let seen = 0
        proxy.mend()
        proxy.next({ kind: 'answer', status: 503 }, { times: 1_000, matches: () => seen++ >= failing })
        const published = await publishing
          .sendArchive(site, { activate: false })
          .catch((error: unknown) => error)
        proxy.mend()
        if (!(published instanceof Error)) break
        assert.ok(published instanceof BlobsUnavailableError, String(published))
        assert.equal(await publishing.active(), before.id)
        assert.deepEqual(await trouble.inSpool(), [])
        const rows = await database.read.selectFrom('deployments').select('id').execute()
        const ids = rows.map(({ id }) => id)
        assert.deepEqual(ids, [before.id], `request ${failing}`)
      }
      const after = await publishing.publish(site)
      assert.deepEqual(await publishing.contents(after), site)
      await sweep(publishing.context)
      const names = (await storedKeys(trouble.settings)).filter((key) => key.startsWith('documents/'))
      const rows = await database.read.selectFrom('deployments').select('id').execute()
      assert.equal(names.length, rows.length)
    })

    test('the database does not wait for a silent S3', async () => {
      await using database = await open()
      await using trouble = await openTroubledS3Store({ silenceMs: 3_000, retryWritesMs: 0 })
      await using publishing = await startPublishing(database, trouble.store)
      const { deployment } = await publishing.announce({ '/a.html': 'A' })
      await publishing.put(deployment, 'A')
      const { proxy } = trouble
      const writes = () => proxy.requests.filter((request) => request.startsWith('PUT')).length
      const before = writes()
      proxy.next({ kind: 'silence' }, { times: 2, matches: (method) => method === 'PUT' })
      const stuck = [
        publishing.finalize(deployment),
        publishing.announce({ '/b.html': 'B' }, await publishing.addProject('b', publishing.account.id)),
      ]
      const failed = Promise.all(stuck.map((one) => assert.rejects(one, BlobsUnavailableError)))
      await until(() => writes() >= before + 2)
      // Under the same locks as theirs, and before they have given up.
      const other = await publishing.addProject('c', publishing.account.id)
      await publishing.publish({ '/c.html': 'C' }, { of: other })
      await failed
      assert.equal((await publishing.finalize(deployment)).state, 'ready')
    })

    test('the database does not wait while S3 is silent about removals, and they are completed later', async () => {
      await using database = await open()
      await using trouble = await openTroubledS3Store({ silenceMs: 3_000, retryWritesMs: 0 })
      await using publishing = await startPublishing(database, trouble.store)
      const { proxy } = trouble
      const { context, clock } = publishing
      await publishing.publish({ '/a.html': 'A' })
      const other = await publishing.addProject('other', publishing.account.id)
      await removeProject(context, { project: publishing.project, by })
      const removals = () => proxy.requests.filter((request) => request.startsWith('DELETE')).length
      proxy.next({ kind: 'silence' }, { matches: (method) => method === 'DELETE' })
      const failed = assert.rejects(sweep(context), AggregateError)
      await until(() => removals() > 0)
      // Before the sweep has given up, and under the lock that it would hold.
      await publishing.publish({ '/c.html': 'C' }, { of: other })
      await failed
      await removeProject(context, { project: other, by })
      clock.at += claimTime
      await sweep(context)
      assert.deepEqual(await storedKeys(trouble.settings), [])
    })
  })
}
