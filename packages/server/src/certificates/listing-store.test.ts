import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Database } from '../database/database.ts'
import { onEachDatabase } from '../database/each-database.test-kit.ts'
import { certificateRow, waitingJob } from './certificate-row.test-kit.ts'
import { type ListPosition, troubledNamesAfter } from './listing-store.ts'
import { putCertificate } from './store.ts'

/** Some fail, some wait for their first certificate, and some are only being renewed. */
async function addNames({ write }: Database, count: number): Promise<void> {
  await write(async (tx) => {
    for (let n = 0; n < count; n++) {
      const name = `www${n}.test`
      if (n % 3 > 0) await putCertificate(tx, certificateRow(name, { not_after: 1_000 - (n % 4) }))
      const job = { ...waitingJob(name), last_error: n % 2 === 0 ? '{}' : null }
      await tx.insertInto('certificate_jobs').values(job).execute()
    }
  })
}

onEachDatabase('the names with problems', ({ open }) => {
  test('come in one order, however many jobs are read at a time', async () => {
    await using database = await open()
    await addNames(database, 30)
    for (const failingOnly of [true, false]) {
      const asked = { after: null, failingOnly, limit: 100 }
      const all = await troubledNamesAfter(database.read, asked)
      assert.equal(all.length, failingOnly ? 15 : 20)
      for (const sliceSize of [1, 4, 29, 30, 31]) {
        assert.deepEqual(await troubledNamesAfter(database.read, asked, sliceSize), all, String(sliceSize))
        const seen: ListPosition[] = []
        for (let after: ListPosition | null = null; ; ) {
          const page = await troubledNamesAfter(database.read, { after, failingOnly, limit: 3 }, sliceSize)
          seen.push(...page)
          if (page.length < 3) break
          after = page.at(-1) ?? null
        }
        assert.deepEqual(seen, all)
      }
    }
  })

  test('are found between other work: no query reads more jobs than that', async () => {
    await using database = await open()
    await addNames(database, 30)
    let queries = 0
    const counting = database.read.withPlugin({
      transformQuery: ({ node }) => node,
      async transformResult({ result }) {
        queries++
        assert.ok(result.rows.length <= 4)
        return result
      },
    })
    await troubledNamesAfter(counting, { after: null, failingOnly: false, limit: 100 }, 4)
    assert.ok(queries >= 2 * Math.ceil(30 / 4), String(queries))
  })
})
