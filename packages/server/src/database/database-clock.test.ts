import assert from 'node:assert/strict'
import { test } from 'node:test'
import { skipWithout } from '@masthead/testing/peers/peers.ts'
import fc from 'fast-check'
import { sql } from 'kysely'
import { minute } from '../kernel/clock.ts'
import { type ClockOffset, combineOffsets, followDatabaseClock } from './database-clock.ts'
import { onEachDatabase } from './each-database.test-kit.ts'

/** What a measurement finds if the clocks are this far apart and the question and its answer take this long. */
const measured = (offset: number, there: number, back: number, measuredAt: number): ClockOffset => ({
  low: offset - back,
  high: offset + there,
  measuredAt,
})

const delay = fc.integer({ min: 0, max: 20_000 })
const delays = fc.array(fc.tuple(delay, delay), { minLength: 1, maxLength: 20 })

test('any delays leave the right offset within the bounds, which never get wider than the drift allows', () => {
  fc.assert(
    fc.property(fc.integer(), delays, (offset, all) => {
      const samples = all.map(([there, back], index) => measured(offset, there, back, index * 10_000))
      const [first, ...others] = samples
      let known = first ?? assert.fail('no sample')
      for (const sample of others) {
        const before = known
        known = combineOffsets(known, sample)
        assert.ok(known.low <= offset && offset <= known.high)
        assert.ok(known.high - known.low <= before.high - before.low + 2 * 10)
        assert.ok(known.high - known.low <= sample.high - sample.low)
      }
    }),
  )
})

test('a clock that was set is believed at once, in both directions', () => {
  for (const offset of [-3_600_000, -100, 100, 3_600_000]) {
    const known = measured(0, 2, 3, 0)
    assert.deepEqual(combineOffsets(known, measured(offset, 2, 3, 1_000)), measured(offset, 2, 3, 1_000))
  }
})

onEachDatabase('the clock of the database', ({ dialect, open }) => {
  if (dialect === 'sqlite') return

  test('is followed, whatever the clock of this machine says', {
    skip: skipWithout('postgresql'),
  }, async ({ mock }) => {
    await using database = await open()
    const askDatabase = async () => {
      const { rows } = await sql<{ at: number }>`
        select floor(extract(epoch from clock_timestamp()) * 1000)::float8 as at`.execute(database.read)
      return rows[0]?.at ?? assert.fail('no time')
    }
    mock.timers.enable({ apis: ['Date'], now: 0 })
    const clock = await followDatabaseClock(database)
    try {
      const before = await askDatabase()
      const shown = clock.now()
      const exact = (await clock.now.exact?.()) ?? assert.fail('not asked')
      const after = await askDatabase()
      // It is off by at most half of the time that the fastest question took.
      assert.ok(before - minute <= shown && shown <= exact + minute && exact <= after + minute)
    } finally {
      clock.close()
    }
  })
})
