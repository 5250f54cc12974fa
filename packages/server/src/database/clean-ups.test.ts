import assert from 'node:assert/strict'
import { test } from 'node:test'
import { until } from '@masthead/testing/until.ts'
import { openSqlite } from './each-database.test-kit.ts'

test('what fails is made again until it succeeds, and does not hold up the others', async () => {
  await using database = await openSqlite()
  const done: string[] = []
  let failures = 0
  const failing = (name: string, times: number) =>
    database.cleanUp(async () => {
      if (failures < times) {
        failures++
        throw new Error('The database is away')
      }
      done.push(name)
    })
  await failing('never', Number.POSITIVE_INFINITY)
  await failing('later', 3)
  await database.cleanUp(async () => void done.push('now'))
  assert.deepEqual(done, ['now'])
  await until(() => done.length === 2)
  assert.deepEqual(done, ['now', 'later'])
})
