import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { day, hour, minute } from '../kernel/clock.ts'
import type { Database } from './database.ts'
import { onEachDatabase } from './each-database.test-kit.ts'
import { createRetryFromFuture } from './from-future.ts'

const now = Date.UTC(2030, 0, 1)

onEachDatabase('what waits since before the clock was set back', ({ open }) => {
  async function putOff(database: Database, waits: Record<string, number>, problem: string | null) {
    for (const [name, wait] of Object.entries(waits)) {
      await sql`insert into certificate_jobs (name, reason, challenge_kind, attempts, rung, problem_kind, next_attempt_at,
        asked_at, lease_until, created_at) values (${name}, 'first', 'http-01', 1, 1, ${problem}, ${now + wait}, 0, 0, 0)`.execute(
        database.read,
      )
    }
  }

  async function readWaits(database: Database) {
    const rows = await database.read
      .selectFrom('certificate_jobs')
      .select(['name', 'next_attempt_at'])
      .execute()
    return Object.fromEntries(rows.map((row) => [row.name, Number(row.next_attempt_at) - now]))
  }

  /** When certificate jobs are due that were due after these times, by the reason that they wait. */
  async function dueIn(waits: Record<string, number>, problem: string | null, setBackBy: number) {
    await using database = await open()
    await putOff(database, waits, problem)
    await createRetryFromFuture(database, () => setBackBy)(now)
    return await readWaits(database)
  }

  const waits = { soon: minute, later: 6 * hour, never: 400 * day }

  test('is due if it is further ahead than anything is ever put off', async () => {
    assert.deepEqual(await dueIn(waits, 'dns', 0), { ...waits, never: 0 })
    assert.deepEqual(await dueIn({ ...waits, limited: 30 * day }, 'budget', 0), {
      ...waits,
      limited: 30 * day,
      never: 0,
    })
  })

  test('waits for as long as it would have, if it was seen by how much', async () => {
    assert.deepEqual(await dueIn(waits, null, 5 * hour), { soon: minute, later: hour, never: 0 })
    const corrected = { soon: minute, later: 6 * hour, never: 0 }
    assert.deepEqual(await dueIn(waits, null, minute / 2), corrected, 'not for a small correction')
  })

  test('is corrected once, although the database failed when it was seen', async () => {
    await using database = await open()
    await putOff(database, waits, null)
    const steps = [5 * hour]
    let isAway = true
    const write: Database['write'] = (run) =>
      isAway ? Promise.reject(new Error('away')) : database.write(run)
    const retry = createRetryFromFuture({ ...database, write }, () => steps.shift() ?? 0)
    await assert.rejects(retry(now), /away/)
    await assert.rejects(retry(now), /away/)
    isAway = false
    for (let count = 0; count < 2; count++) {
      await retry(now)
      assert.deepEqual(await readWaits(database), { soon: minute, later: hour, never: 0 })
    }
  })
})
