import assert from 'node:assert/strict'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { type BlobKey, blobPath } from '../../blobs/blob-store.ts'
import { createFileStore } from '../../blobs/files/file-store.ts'
import { onEachDatabase } from '../../database/each-database.test-kit.ts'
import { digestOf, startPublishing } from '../../deployments/deployments.test-kit.ts'
import type { ProgressStep } from '../progress-report.ts'
import { checkAllFiles } from './check-all-files.ts'
import { pathOfLost } from './lost-file.ts'

onEachDatabase('a check of all files', ({ open }) => {
  test('counts files and bytes, and lets those be published again that it found before it was stopped', async () => {
    await using database = await open()
    await using publishing = await startPublishing(database)
    const blobs = await createFileStore(publishing.folder)
    const [first, second] = [await publishing.addAccount(), await publishing.addAccount()]
    const one = await publishing.addProject('one', first.id)
    const other = await publishing.addProject('other', second.id)
    const site = { '/index.html': 'the first page', '/style.css': 'the style' }
    const [text, style] = [site['/index.html'], site['/style.css']]
    for (const project of [one, other]) await publishing.publish(site, { of: project })

    const pathIn = (accountId: BlobKey['accountId'], content: string) =>
      blobPath({ accountId, sha256: digestOf(content) })
    const lose = (path: string) => rm(join(publishing.folder, path))
    for (const { id } of [first, second]) await lose(pathIn(id, text))

    const steps: ProgressStep[] = []
    const read = { count: 0, bytes: 0, ended: 0 }
    const progress = {
      begin(step: ProgressStep) {
        steps.push(step)
        return {
          advance(count: number, bytes = 0) {
            read.count += count
            read.bytes += bytes
          },
          end: () => void read.ended++,
        }
      },
    }
    const failing: typeof blobs = {
      ...blobs,
      async openFile(key) {
        if (key.accountId === second.id) throw new Error('the network is down')
        return blobs.openFile(key)
      },
    }
    await assert.rejects(run(failing), /the network is down/)
    const missing = async (of: typeof one) => (await publishing.announce(site, of)).missing
    assert.deepEqual([await missing(one), await missing(other)], [[digestOf(text)], []])

    Object.assign(read, { count: 0, bytes: 0, ended: 0 })
    assert.deepEqual(await run(blobs), [pathIn(first.id, text), pathIn(second.id, text)].sort())
    const bytes = 2 * (text.length + style.length)
    assert.deepEqual(steps.at(-1), { title: 'Checking files', unit: 'files', total: 4, bytes })
    assert.deepEqual(read, { count: 4, bytes, ended: 1 })
    assert.deepEqual([await missing(one), await missing(other)], [[digestOf(text)], [digestOf(text)]])

    async function run(store: typeof blobs): Promise<string[]> {
      const accounts = await Array.fromAsync(checkAllFiles({ database, blobs: store, progress }, null))
      return accounts.flatMap(({ left }) => left.map(pathOfLost)).sort()
    }
  })
})
