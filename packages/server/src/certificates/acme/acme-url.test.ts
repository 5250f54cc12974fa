import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isAcmeUrl } from './acme-url.ts'

test('HTTPS goes anywhere, plain HTTP only to this machine', () => {
  for (const url of [
    'https://ca.example/dir',
    'http://127.0.0.1:14000/dir',
    'http://[::1]/',
    'http://localhost/',
  ]) {
    assert.equal(isAcmeUrl(url), true, url)
  }
  const others = [
    'http://ca.example/',
    'http://127.0.0.1.example/',
    'ftp://ca.example/',
    'file:///etc',
    '/dir',
    '',
  ]
  for (const url of [
    ...others,
    'https://user:secret@ca.example/',
    `https://ca.example/${'x'.repeat(2000)}`,
  ]) {
    assert.equal(isAcmeUrl(url), false, url)
  }
})
