import assert from 'node:assert/strict'
import { test } from 'node:test'
import { agreedLimits } from './agreed-limits.ts'

test('an empty number of domains is any number, and none is sent', () => {
  const requests = { perMinute: '5000', perDay: '1000000' }
  assert.deepEqual(agreedLimits({ ...requests, domainsPerProject: '' }), {
    perMinute: 5_000,
    perDay: 1_000_000,
  })
  assert.equal(agreedLimits({ ...requests, domainsPerProject: '500' }).domainsPerProject, 500)
  assert.equal(agreedLimits({ ...requests, storage: '1.5' }).storageBytes, 1_500_000_000)
})
