import assert from 'node:assert/strict'
import { test } from 'node:test'
import { classifyServerName, findPlatformName } from './host.ts'

const names = { platformDomain: 'masthead.test', dashboardHost: 'dash.test' }

test('an address is never a server name, in any notation, even if the server listens on it', () => {
  for (const address of [
    '127.0.0.1',
    '127.0.0.1.',
    '10.1.2.3',
    '::1',
    '[::1]',
    '[::ffff:127.0.0.1]',
    'FE80::1',
  ]) {
    assert.deepEqual(classifyServerName(address, names), { kind: 'invalid' }, address)
  }
  const asDashboard = { ...names, dashboardHost: '127.0.0.1' }
  assert.deepEqual(classifyServerName('127.0.0.1', asDashboard), { kind: 'invalid' })
})

test('a platform name has a site, and an owner', async () => {
  const owner = (name: string) =>
    findPlatformName(name, names, async ({ slug }) => (slug === 'acme' ? { accountId: 'acc_1' } : null))
  assert.deepEqual(await owner('dash.test'), { accountId: null })
  assert.deepEqual(await owner('Masthead.TEST'), { accountId: null })
  assert.deepEqual(await owner('acme.masthead.test'), { accountId: 'acc_1' })
  assert.deepEqual(await owner('abc--acme.masthead.test'), { accountId: 'acc_1' })
  for (const other of ['none.masthead.test', 'a.acme.masthead.test', 'www.acme.test', '127.0.0.1', '', '*']) {
    assert.equal(await owner(other), null, other)
  }
})
