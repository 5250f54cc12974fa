import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ok, problem, skipped, summarize, warning } from './check.ts'
import { drawReport, exitCode, screenOf } from './screen.ts'

const checkedAt = '2026-01-01T00:00:00.000Z'
const fine = { checkedAt, checks: [summarize({ id: 'a', title: 'Disk' }, [ok('Enough.')])] }
const broken = {
  checkedAt,
  checks: [
    ...fine.checks,
    summarize({ id: 'b', title: 'Database' }, [
      problem('It is too old, and there is much more to say about it.', 'Update it.'),
      warning('Few connections.', 'Raise max_connections.'),
    ]),
    summarize({ id: 'c', title: 'Redis' }, [skipped('Not used.')]),
  ],
}

test('a report is a line per check, with what to do below', () => {
  assert.equal(
    drawReport(broken, screenOf({ columns: 50 }, {})),
    `
  ✓ Disk      Enough.
  ✗ Database  It is too old, and there is much
              more to say about it.
              → Update it.
              Few connections.
              → Raise max_connections.
  – Redis     Not used.

  1 problem, 1 warning.`,
  )
  assert.match(drawReport(fine, screenOf({}, {})), /Everything is fine\.$/)
})

test('colors are only for terminals that want them', () => {
  const painted = (isTTY: boolean, env: Record<string, string>) =>
    drawReport(broken, screenOf({ isTTY }, env)).includes('\u001b[')
  assert.equal(painted(true, {}), true)
  assert.equal(painted(false, {}), false)
  assert.equal(painted(true, { NO_COLOR: '1' }), false)
  assert.equal(painted(true, { TERM: 'dumb' }), false)
})

test('problems decide about the exit code, and warnings if asked to', () => {
  const warned = { checkedAt, checks: [summarize({ id: 'a', title: 'a' }, [warning('b', 'c')])] }
  assert.deepEqual(
    [fine, warned, broken].map((report) => exitCode(report, false)),
    [0, 0, 1],
  )
  assert.deepEqual(
    [fine, warned, broken].map((report) => exitCode(report, true)),
    [0, 1, 1],
  )
})
