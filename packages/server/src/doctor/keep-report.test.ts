import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import { ok, problem, summarize } from './check.ts'
import { keepReport } from './keep-report.ts'

const reportOf = (finding: ReturnType<typeof ok>) => ({
  checkedAt: '2026-01-01T00:00:00.000Z',
  checks: [summarize({ id: 'a', title: 'A' }, [finding])],
})

const turn = () => new Promise((resolve) => setImmediate(resolve))

test('however often the page is asked for, the world is asked once in five minutes, or once a minute while something is wrong', async () => {
  let time = 0
  const clock = mock.method(performance, 'now', () => time)
  try {
    let runs = 0
    let finding = ok('Fine.')
    const report = keepReport(async () => {
      runs++
      return reportOf(finding)
    })
    assert.equal(report(), null)
    for (let again = 0; again < 100; again++) report()
    await turn()
    assert.deepEqual(report(), reportOf(finding))
    time = 299_000
    report()
    await turn()
    assert.equal(runs, 1)
    time = 300_000
    finding = problem('Broken.', 'Fix it.')
    assert.equal(report()?.checks[0]?.status, 'ok')
    await turn()
    assert.equal(report()?.checks[0]?.status, 'problem')
    time = 359_000
    report()
    assert.equal(runs, 2)
    time = 360_000
    report()
    assert.equal(runs, 3)
  } finally {
    clock.mock.restore()
  }
})

test('a run that fails leaves the last report, and is tried again', async () => {
  let time = 0
  const clock = mock.method(performance, 'now', () => time)
  try {
    let runs = 0
    const report = keepReport(async () => {
      if (runs++ === 1) throw new Error('a bug')
      return reportOf(ok(`Run ${runs}.`))
    })
    for (const at of [0, 300_000, 600_000]) {
      time = at
      report()
      await turn()
      assert.equal(report()?.checks[0]?.findings[0]?.message, at === 600_000 ? 'Run 3.' : 'Run 1.')
    }
  } finally {
    clock.mock.restore()
  }
})
