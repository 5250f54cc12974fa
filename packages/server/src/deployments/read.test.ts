import assert from 'node:assert/strict'
import { test } from 'node:test'
import { onEachDatabase } from '../database/each-database.test-kit.ts'
import { digestOf, startPublishing } from './deployments.test-kit.ts'
import { type ListedFile, listFiles } from './read.ts'

onEachDatabase('listing files', ({ open }) => {
  test('pages are sorted by path, without gaps or duplicates', async () => {
    await using database = await open()
    await using publishing = await startPublishing(database)
    const paths = ['/a.html', '/a/1.txt', '/a/2.txt', '/b.html', '/z/ü.txt']
    const site = Object.fromEntries(paths.toReversed().map((path) => [path, `this is ${path}`]))
    const deployment = await publishing.publish(site)
    const listed: ListedFile[] = []
    const sizes: number[] = []
    let cursor: string | undefined
    do {
      const page = await listFiles(publishing.context, deployment, { limit: 2, cursor })
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
    assert.equal((await listFiles(publishing.context, deployment, { limit: 2 })).next, null)
    const madeUp = listFiles(publishing.context, deployment, { limit: 2, cursor: 'L2EuaHRtbA' })
    await assert.rejects(madeUp, { code: 'invalid_input' })
  })
})
