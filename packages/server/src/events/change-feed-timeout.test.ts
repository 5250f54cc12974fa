import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { skipWithout } from '@masthead/testing/peers/peers.ts'
import { startSeverableLink } from '@masthead/testing/peers/severable-link.ts'
import type { DatabaseOptions } from '../database/database.ts'
import { isDatabaseUnavailable } from '../database/database-errors.ts'
import { migratedPostgres } from '../database/each-database.test-kit.ts'
import { heardOf, joinFeed } from './change-feed.test-kit.ts'

/** One process connected directly to PostgreSQL, and one whose connections can go silent. */
async function joinTwo(options: DatabaseOptions = {}) {
  await using stack = new AsyncDisposableStack()
  const postgres = stack.use(await migratedPostgres())
  const link = stack.use(await startSeverableLink(postgres.url))
  const near = stack.use(await joinFeed({ dialect: 'postgres', url: postgres.url }))
  const far = stack.use(await joinFeed({ dialect: 'postgres', url: link.url }, options))
  const all = stack.move()
  return { near, far, link, [Symbol.asyncDispose]: () => all.disposeAsync() }
}

const given = { skip: skipWithout('postgresql'), timeout: 60_000 }

describe('when connections to PostgreSQL fall silent without being closed', given, () => {
  test('a reader reconnects, misses nothing, and is notified again', async () => {
    await using two = await joinTwo()
    const { near, far, link } = two
    for (let round = 0; round < 2; round++) {
      await near.tell(`before ${round}`)
      await heardOf(`before ${round}`, far)
      link.freeze()
      await near.tell(`in silence ${round}`)
      await heardOf(`in silence ${round}`, far)
    }
    assert.deepEqual(far.heard, ['before 0', 'in silence 0', 'before 1', 'in silence 1'])
    assert.ok(far.warnings.length >= 2)
  })

  test('a write fails as with an unreachable database, and the next one sees its own change', async () => {
    await using two = await joinTwo({ queryTimeout: 200 })
    const { far, link } = two
    await far.tell('before')
    link.freeze()
    const failures: unknown[] = []
    while (!(await isDone(far.tell('after'), failures)));
    assert.deepEqual(far.heard, ['before', 'after'])
    assert.notEqual(failures.length, 0)
    assert.deepEqual([...new Set(failures.map(isDatabaseUnavailable))], [true])
  })
})

async function isDone(work: Promise<void>, failures: unknown[]): Promise<boolean> {
  const before = failures.length
  await work.catch((error: unknown) => failures.push(error))
  return failures.length === before
}
