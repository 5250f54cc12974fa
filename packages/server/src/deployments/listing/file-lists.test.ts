import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onEachDatabase } from '../../database/each-database.test-kit.ts'
import { digestOf, type Publishing, startPublishing } from '../deployments.test-kit.ts'
import { FileLists, type ListedFile } from './file-lists.ts'

onEachDatabase('listing files', ({ open }) => {
  test('pages are sorted by path, without gaps or duplicates', async () => {
    await using database = await open()
    await using publishing = await startPublishing(database)
    const paths = ['/a.html', '/a/1.txt', '/a/2.txt', '/b.html', '/z/ü.txt']
    const site = Object.fromEntries(paths.toReversed().map((path) => [path, `this is ${path}`]))
    const deployment = await publishing.publish(site)
    const lists = new FileLists(publishing.context.blobs)
    const listed: ListedFile[] = []
    const sizes: number[] = []
    let cursor: string | undefined
    do {
      const page = await lists.list(deployment, { limit: 2, cursor })
      listed.push(...page.items)
      sizes.push(page.items.length)
      cursor = page.next ?? undefined
    } while (cursor !== undefined)
    assert.deepEqual(sizes, [2, 2, 1])
    assert.deepEqual(
      listed,
      paths.map((path) => {
        const content = `this is ${path}`
        return { path, sha256: digestOf(content), size: Buffer.byteLength(content) }
      }),
    )
  })

  test('the last page has no next, and a made-up cursor is refused', async () => {
    await using database = await open()
    await using publishing = await startPublishing(database)
    const deployment = await publishing.publish({ '/a.html': 'A', '/b.html': 'B' })
    const lists = new FileLists(publishing.context.blobs)
    assert.equal((await lists.list(deployment, { limit: 2 })).next, null)
    const madeUp = lists.list(deployment, { limit: 2, cursor: 'L2EuaHRtbA' })
    await assert.rejects(madeUp, { code: 'invalid_input' })
  })

  test('the manifest of a ready deployment is read once for all pages, however many are asked for at once', async () => {
    await using database = await open()
    await using publishing = await startPublishing(database)
    const site = Object.fromEntries(
      Array.from({ length: 5_000 }, (_, n) => [`/${(n * 7919) % 5_000}.txt`, 'A']),
    )
    const { context } = publishing
    const using = { ...context, limits: { ...context.limits, files: 5_000, bytesPerDeployment: 5_000 } }
    const deployment = await publishing.publish(site, { using })
    const { lists, reads } = countingLists(publishing)
    const sorted = Object.keys(site).sort()
    const pages = await Promise.all(
      [0, 999, 1_999, 4_998, 4_999].map((last) =>
        lists.list(deployment, { limit: 1_000, cursor: cursorAfter(sorted[last]) }),
      ),
    )
    assert.deepEqual(
      pages.map(({ items }) => items.map(({ path }) => path)),
      [1, 1_000, 2_000, 4_999, 5_000].map((start) => sorted.slice(start, start + 1_000)),
    )
    assert.equal((await lists.list(deployment, { limit: 1 })).items[0]?.path, sorted[0])
    // A path that is not in the list, after all of them.
    assert.deepEqual(await lists.list(deployment, { limit: 1, cursor: cursorAfter('/~') }), {
      items: [],
      next: null,
    })
    assert.equal(reads(), 1)
    lists.forget(deployment.id)
    await lists.list(deployment, { limit: 1 })
    assert.equal(reads(), 2)
  })

  test('the list of an upload is read each time, until it is final', async () => {
    await using database = await open()
    await using publishing = await startPublishing(database)
    const { deployment } = await publishing.announce({ '/a.html': 'A' })
    const { lists, reads } = countingLists(publishing)
    for (let time = 0; time < 2; time++) await lists.list(deployment, { limit: 1 })
    assert.equal(reads(), 2)
    await publishing.put(deployment, 'A')
    const ready = await publishing.finalize(deployment)
    for (let time = 0; time < 2; time++) await lists.list(ready, { limit: 1 })
    assert.equal(reads(), 3)
  })
})

const cursorAfter = (path: string | undefined) => Buffer.from(`after:${path}`).toString('base64url')

function countingLists({ context: { blobs } }: Publishing) {
  let count = 0
  const lists = new FileLists({
    readDocument: (name) => {
      count++
      return blobs.readDocument(name)
    },
  })
  return { lists, reads: () => count }
}
