import assert from 'node:assert/strict'
import { test } from 'node:test'
import { domainTotal, domainWords, verdict, worstFirst } from './health-words.ts'

const check = (ok: boolean) => ({ name: 'dns' as const, ok, message: '' })

const result = (status: 'ok' | 'warning' | 'problem' | 'skipped') => ({
  id: status,
  title: '',
  status,
  findings: [],
})
const report = (...statuses: Parameters<typeof result>[0][]) => ({
  checkedAt: '',
  checks: statuses.map(result),
})

test('the verdict counts failing checks', () => {
  const verdictOf = (...oks: boolean[]) => verdict({ checks: oks.map(check), doctor: null })
  assert.equal(verdictOf(true, true), 'Everything is healthy.')
  assert.equal(verdictOf(true, false), '1 check needs attention.')
  assert.equal(verdictOf(false, false), '2 checks need attention.')
})

test('the verdict counts problems of the installation, and no warnings', () => {
  const verdictOf = (...statuses: Parameters<typeof report>) =>
    verdict({ checks: [check(true)], doctor: report(...statuses) })
  assert.equal(verdictOf('ok', 'warning', 'skipped'), 'Everything is healthy.')
  assert.equal(verdictOf('problem', 'ok'), '1 check needs attention.')
})

test('the worst results come first, otherwise in their order', () => {
  const { checks } = report('skipped', 'ok', 'problem', 'warning')
  assert.deepEqual(
    worstFirst(checks).map(({ status }) => status),
    ['problem', 'warning', 'ok', 'skipped'],
  )
})

test('domains are counted by state, without empty states', () => {
  const counts = { live: 1_200, pending: 3, failed: 0 }
  assert.equal(domainWords(counts), '3 waiting for DNS, 1,200 live')
  assert.equal(domainTotal(counts), 1_203)
})

test('without domains there is no text', () => {
  assert.equal(domainWords({}), '')
  assert.equal(domainTotal({}), 0)
})
