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

test('a certificate authority that no order could reach is refused, and its password is not shown', () => {
  for (const url of ['http://ca.example/dir', 'https://user:hush@ca.example/dir', 'ftp://ca.example/dir']) {
    assert.throws(
      () => readConfig({ MASTHEAD_CA: url }),
      ({ message }: Error) => /^MASTHEAD_CA: .*the https URL/.test(message) && !message.includes('hush'),
    )
  }
  for (const url of ['https://ca.example/dir', 'http://127.0.0.1:14000/dir', 'http://[::1]:14000/dir']) {
    assert.equal(readConfig({ MASTHEAD_CA: url }).cas[0].name, url)
  }
})

test('a mail address is refused with what belongs around it', () => {
  for (const value of ['mailto:ops@acme.example', '<ops@acme.example>', 'Ops <ops@acme.example>']) {
    assert.throws(() => readConfig({ MASTHEAD_CA_CONTACT: value }), /^ConfigError: MASTHEAD_CA_CONTACT: /)
  }
})
