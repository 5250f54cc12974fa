import assert from 'node:assert/strict'
import { test } from 'node:test'
import { metricsAccess } from './metrics-access.ts'

const operatorKey = 'o'.repeat(32)
const token = 't'.repeat(32)

test('the operator key and the token open the metrics, however the scheme is written', () => {
  const mayRead = metricsAccess(operatorKey, token)
  for (const given of [`Bearer ${operatorKey}`, `bearer ${token}`, `BEARER  ${token}`]) {
    assert.equal(mayRead(given), true, given)
  }
})

test('nothing else does', () => {
  const mayRead = metricsAccess(operatorKey, null)
  const refused = [undefined, '', 'Bearer', 'Bearer ', 'Bearer null', `Bearer ${token}`, operatorKey]
  for (const given of [...refused, `Basic ${operatorKey}`, `Bearer ${operatorKey} ${operatorKey}`]) {
    assert.equal(mayRead(given), false, String(given))
  }
})
