import assert from 'node:assert/strict'
import { test } from 'node:test'
import { noTerminal } from '../../test/run-masthead.ts'
import { workplace } from '../../test/workplace.ts'
import { parseExpiry } from './keys.ts'

const now = Date.parse('2026-03-01T12:00:00Z')

test('spans count from now, dates are taken as they are', () => {
  for (const [text, at] of [
    ['12h', '2026-03-02T00:00:00.000Z'],
    ['90d', '2026-05-30T12:00:00.000Z'],
    ['4w', '2026-03-29T12:00:00.000Z'],
    ['1y', '2027-03-01T12:00:00.000Z'],
    ['2027-01-31', '2027-01-31T00:00:00.000Z'],
    ['2027-01-31T10:00:00+02:00', '2027-01-31T08:00:00.000Z'],
  ] as const) {
    assert.equal(parseExpiry(text, now), at, text)
  }
})

test('what is past or no time is refused', () => {
  for (const text of ['', '0d', '90', '90 days', '-1d', '2026-01-31', '2027-13-01', 'soon', '9999y']) {
    assert.throws(() => parseExpiry(text, now), { exit: 'usage' }, text)
  }
})

test('a new key has the scopes and the expiry asked for, and its secret stands alone on standard output', async () => {
  await using place = await workplace()
  const sent: Record<string, unknown>[] = []
  place.server.instead.createKey = ({ json }) => {
    sent.push(json)
    return { id: 'key_2', ...json, secret: 'mh_new' }
  }
  const { exitCode, stdout, stderr } = await place.run(
    'keys create ci --scope read,deploy --scope admin --expires 2099-01-31',
  )
  assert.equal(exitCode, 0, stderr)
  assert.equal(stdout, 'mh_new\n')
  assert.equal((await place.run('keys create plain')).exitCode, 0)
  assert.deepEqual(sent, [
    { name: 'ci', scopes: ['read', 'deploy', 'admin'], expiresAt: '2099-01-31T00:00:00.000Z' },
    { name: 'plain' },
  ])
})

test('revoking a key is confirmed first', { skip: noTerminal }, async () => {
  await using place = await workplace()
  assert.equal((await place.run('keys revoke key_1')).exitCode, 2)
  assert.equal((await place.atTerminal('keys revoke key_1', { input: '\n' })).exitCode, 1)
  assert.equal(place.server.count('revokeKey'), 0)
  const { exitCode, stdout } = await place.run('keys revoke key_1 --yes --json')
  assert.equal(exitCode, 0)
  assert.deepEqual(JSON.parse(stdout), { revoked: 'key_1' })
  assert.equal(place.server.count('revokeKey'), 1)
})

test('wrong words after keys are explained', async () => {
  await using place = await workplace()
  const fixes = []
  for (const words of ['revok key_1', 'create', 'create ci --scope everything', 'create ci --expires soon']) {
    const { exitCode, stderr } = await place.run(`keys ${words}`)
    assert.equal(exitCode, 2)
    fixes.push(stderr.trim().split('\n')[1])
  }
  assert.deepEqual(fixes, [
    'Did you mean `masthead keys revoke`?',
    'Write `masthead keys create NAME`.',
    'Scopes are read, deploy, domains, admin.',
    'Write it like 90d, 12h, 4w, 1y or 2027-01-31.',
  ])
})
