import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readConfig } from './config.ts'

test('a key from a file is read without its newline, and one that no header can carry is refused', () => {
  const key = 'k'.repeat(32)
  for (const name of ['MASTHEAD_OPERATOR_KEY', 'MASTHEAD_METRICS_TOKEN']) {
    const { operatorKey, metricsToken } = readConfig({ [name]: `${key}\r\n` })
    assert.equal(operatorKey ?? metricsToken, key)
    const spaced = `${key} ${key}`
    const { operatorKey: operator, metricsToken: token } = readConfig({ [name]: spaced })
    assert.equal(operator ?? token, spaced)
    for (const wrong of [`${key}\n${key}`, `${key}ü`, ` ${'k'.repeat(31)}`]) {
      const expected = new RegExp(`${name}: \\(not shown\\) is not allowed\\. Use at least 32 characters`)
      assert.throws(() => readConfig({ [name]: wrong }), expected)
    }
  }
})
