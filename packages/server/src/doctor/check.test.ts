import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type DoctorCheck, ok, problem, runDoctor, warning } from './check.ts'

const named = (id: string, run: DoctorCheck<null>['run']): DoctorCheck<null> => ({ id, title: id, run })

test('a check that hangs, throws or rejects does not keep the others from being reported, in their order', async () => {
  let wasStopped = false
  const checks = [
    named('hangs', (_parts, signal) => {
      signal.addEventListener('abort', () => {
        wasStopped = true
      })
      return new Promise(() => {})
    }),
    named('throws', () => {
      throw new Error('a bug.')
    }),
    named('rejects', () => Promise.reject(new AggregateError([new Error('connect ECONNREFUSED')]))),
    named('works', async () => ok('Fine.')),
  ]
  const report = await runDoctor(checks, null, { deadlineMs: 20 })
  assert.deepEqual(
    report.checks.map(({ id, status, findings }) => [id, status, findings[0]?.message]),
    [
      ['hangs', 'problem', 'No answer within 0.02 seconds.'],
      ['throws', 'problem', 'The check failed: a bug.'],
      ['rejects', 'problem', 'The check failed: connect ECONNREFUSED.'],
      ['works', 'ok', 'Fine.'],
    ],
  )
  assert.equal(wasStopped, true)
})

test('the worst finding is the status, and what is fine is left out beside it', async () => {
  const findings = [ok('a'), warning('b', 'fix b'), problem('c', 'fix c')]
  const { checks } = await runDoctor([named('all', async () => findings)], null)
  assert.deepEqual(checks[0], {
    id: 'all',
    title: 'all',
    status: 'problem',
    findings: [problem('c', 'fix c'), warning('b', 'fix b')],
  })
})

test('a secret is hidden wherever it appears, also as it is written in a URL', async () => {
  const secrets = ['hunter2 & co', '']
  const findings = [
    problem('postgres://me:hunter2%20%26%20co@db refuses hunter2 & co', 'Change hunter2 & co.'),
  ]
  const report = await runDoctor([named('leaks', async () => findings)], null, { secrets })
  assert.doesNotMatch(JSON.stringify(report), /hunter2/)
  assert.equal(report.checks[0]?.findings[0]?.message, 'postgres://me:(hidden)@db refuses (hidden)')
})

test('what another server says cannot change the terminal or fill it', async () => {
  const hostile = new Error(`\u001b[2J\u202e${'x'.repeat(5_000)}`)
  const { checks } = await runDoctor([named('hostile', () => Promise.reject(hostile))], null)
  const message = checks[0]?.findings[0]?.message ?? ''
  assert.ok(message.length < 300)
  assert.ok(!message.includes('\u001b') && !message.includes('\u202e'))
})
