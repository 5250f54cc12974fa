import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createGate } from './gate.ts'

const protection = { scope: 'paths' as const, paths: ['/staff'], note: '', hash: 'of the project' }
const ruleFor = (from: string, line = 1) => ({
  ...{ from, line },
  credentials: [{ user: null, hash: `${from} ${line}` }],
})

test('locks are those of the project and of every rule that covers a path, in their order', () => {
  const gate = createGate(protection, false, [
    ruleFor('/members/*'),
    ruleFor('/staff/list'),
    ruleFor('https://acme.com/*'),
    ruleFor('/*/list'),
  ])
  const rulesAt = (paths: string[], hostname = 'other.com') =>
    gate?.locksAt(paths, hostname).map(({ rule }) => (rule as { from?: string } | null)?.from ?? 'project')
  assert.deepEqual(rulesAt(['/staff/list/']), ['project', '/staff/list', '/*/list'])
  assert.deepEqual(rulesAt(['/members/list', '/staff']), ['project', '/members/*', '/*/list'])
  assert.deepEqual(rulesAt(['/members']), ['/members/*'])
  assert.deepEqual(rulesAt(['/'], 'acme.com'), ['https://acme.com/*'])
  assert.deepEqual(rulesAt(['/']), [])
})

test('a long path is read once, however many rules a site has', (context) => {
  const rules = Array.from({ length: 100 }, (_, at) => ruleFor(`/part-${at}/*`, at))
  const gate = createGate(protection, false, rules)
  const split = context.mock.method(String.prototype, 'split')
  assert.deepEqual(gate?.locksAt([`/${'a/'.repeat(5_000)}`], 'acme.com'), [])
  // With and without its last slash.
  assert.equal(split.mock.callCount(), 2)
})
