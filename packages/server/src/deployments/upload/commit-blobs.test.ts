import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Database } from '../../database/database.ts'
import { onEachDatabase } from '../../database/each-database.test-kit.ts'
import { type Site, startPublishing } from '../deployments.test-kit.ts'
import { createBlobCommitter } from './commit-blobs.ts'

const site: Site = Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`/${n}.txt`, `file ${n}`]))

function counting(database: Database): { database: Database; writes: () => number } {
  let writes = 0
  const write: Database['write'] = (work) => {
    writes++
    return database.write(work)
  }
  return { database: { ...database, write }, writes: () => writes }
}

onEachDatabase('committing blobs', ({ open }) => {
  test('files that arrive during a commit share the next one', async () => {
    await using database = await open()
    await using publishing = await startPublishing(database)
    const { context } = publishing
    const { deployment } = await publishing.announce(site)
    const counted = counting(database)
    const hold = createBlobCommitter({ ...context, database: counted.database })
    const staged = await Promise.all(
      Object.values(site).map((content) => context.blobs.stage([Buffer.from(content)], 100)),
    )
    await Promise.all(staged.map((blob) => hold(deployment, blob)))
    assert.equal(counted.writes(), 2)
    assert.deepEqual(await publishing.contents(await publishing.finalize(deployment)), site)
  })

  test('a failed write rejects only its own files', async () => {
    await using database = await open()
    await using publishing = await startPublishing(database)
    const { context } = publishing
    const { deployment } = await publishing.announce(site)
    const down = new Error('the disk is full')
    let failing = true
    const write: Database['write'] = (work) => (failing ? Promise.reject(down) : database.write(work))
    const hold = createBlobCommitter({ ...context, database: { ...database, write } })
    const stage = (content: string) => context.blobs.stage([Buffer.from(content)], 100)

    const staged = await Promise.all(['file 0', 'file 1', 'file 2'].map(stage))
    const outcomes = await Promise.allSettled(staged.map((blob) => hold(deployment, blob)))
    assert.deepEqual(
      outcomes.map((outcome) => outcome.status === 'rejected' && outcome.reason),
      [down, down, down],
    )
    failing = false
    await hold(deployment, await stage('file 3'))
    const rows = await database.read.selectFrom('blobs').select('size').execute()
    assert.deepEqual(
      rows.map(({ size }) => size),
      [6],
    )
  })

  test('a removed deployment does not fail others in the same commit', async () => {
    await using database = await open()
    await using publishing = await startPublishing(database)
    const { context } = publishing
    const [{ deployment: gone }, { deployment }] = [
      await publishing.announce({ '/a.txt': 'A' }),
      await publishing.announce({ '/b.txt': 'B' }),
    ]
    await database.write((tx) => tx.deleteFrom('deployments').where('id', '=', gone.id).execute())
    const stage = (content: string) => context.blobs.stage([Buffer.from(content)], 100)
    const hold = createBlobCommitter(context)
    const [first, a, b] = await Promise.all([stage('B'), stage('A'), stage('B')])
    const outcomes = await Promise.allSettled([hold(deployment, first), hold(gone, a), hold(deployment, b)])
    assert.deepEqual(
      outcomes.map(({ status }) => status),
      ['fulfilled', 'rejected', 'fulfilled'],
    )
  })

  test('two writers of the same files in opposite order both succeed', async () => {
    await using database = await open()
    await using publishing = await startPublishing(database)
    const { context } = publishing
    for (let round = 0; round < 5; round++) {
      const fresh = Object.fromEntries(Object.keys(site).map((path) => [path, `${round} ${path}`]))
      const uploads = await Promise.all([publishing.announce(fresh), publishing.announce(fresh)])
      const orders = [Object.values(fresh), Object.values(fresh).reverse()]
      await Promise.all(
        uploads.map(async ({ deployment }, index) => {
          const hold = createBlobCommitter(context)
          const contents = orders[index] ?? []
          const staged = await Promise.all(
            contents.map((content) => context.blobs.stage([Buffer.from(content)], 100)),
          )
          await Promise.all(staged.map((blob) => hold(deployment, blob)))
        }),
      )
    }
    const { count } = await database.read
      .selectFrom('blobs')
      .select((e) => e.fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow()
    assert.equal(count, 100)
  })
})
