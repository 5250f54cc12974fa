import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startSeverableLink } from '@masthead/testing/peers/severable-link.ts'
import { until } from '@masthead/testing/until.ts'
import fc from 'fast-check'
import { sql } from 'kysely'
import { hour, minute } from '../kernel/clock.ts'
import { type Database, openDatabase } from './database.ts'
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

const silent = { warn: () => {} }

onEachDatabase('the clock of the database', ({ dialect, location }) => {
  if (dialect === 'sqlite') return

  /** A node that follows the clock, and the time by which it is judged. */
  async function startNode(mayCut = false) {
    await using started = new AsyncDisposableStack()
    const where = started.use(await location())
    assert.ok(where.dialect === 'postgres')
    const judge = started.adopt(await openDatabase(where, silent), (database) => database.close())
    const link = mayCut ? started.use(await startSeverableLink(where.url)) : null
    const through = link === null ? where : { ...where, url: link.url }
    const database = started.adopt(await openDatabase(through, silent), (opened) => opened.close())
    const clock = started.adopt(await followDatabaseClock(database), (followed) => followed.close())
    const running = started.move()
    /** It is off by at most half of the time that the fastest question took. */
    async function assertRight(read: () => number | Promise<number>) {
      const before = await askTime(judge)
      const shown = await read()
      const after = await askTime(judge)
      assert.ok(before - minute <= shown && shown <= after + minute, `${before} ${shown} ${after}`)
    }
    const exact = async () => clock.now.exact?.() ?? assert.fail('it cannot be asked')
    return { clock, exact, link, assertRight, [Symbol.asyncDispose]: () => running.disposeAsync() }
  }

  test('is followed, whatever the clock of this machine says', async ({ mock }) => {
    mock.timers.enable({ apis: ['Date'], now: 0 })
    await using node = await startNode()
    await node.assertRight(node.clock.now)
    mock.timers.setTime(Date.UTC(2100, 0, 1))
    await node.assertRight(node.clock.now)
    await node.assertRight(node.exact)
  })

  test('is asked for leases, because the steady clock stops while a machine is suspended', async ({
    mock,
  }) => {
    await using node = await startNode()
    const steady = performance.now.bind(performance)
    mock.method(performance, 'now', () => steady() - hour)
    await assert.rejects(node.assertRight(node.clock.now))
    await node.assertRight(node.exact)
    await node.assertRight(node.clock.now)
  })

  test('goes on while the database is down, and cannot be asked then', async () => {
    await using node = await startNode(true)
    await node.link?.sever()
    await assert.rejects(node.exact())
    await node.assertRight(node.clock.now)
    await node.link?.mend()
    await until(() => node.exact().then(Boolean, () => false))
    await node.assertRight(node.exact)
  })
})

async function askTime({ read }: Database): Promise<number> {
  const { rows } = await sql<{ at: number }>`
    select floor(extract(epoch from clock_timestamp()) * 1000)::float8 as at`.execute(read)
  return rows[0]?.at ?? assert.fail('no time')
}
