import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { test } from 'node:test'
import { createCsr } from './certificate-fields.ts'
import { generateKeyPair } from './key-pair.ts'

test('a CSR has the host only in its SAN and is signed', async () => {
  const request = await createCsr(['www.example.com'], await generateKeyPair())
  const command = ['req', '-inform', 'der', '-noout', '-verify', '-text']
  const text = execFileSync('openssl', command, { input: request, encoding: 'utf8', stdio: 'pipe' })
  assert.match(text, /Subject: *\n/)
  assert.match(text, /X509v3 Subject Alternative Name: critical\s+DNS:www\.example\.com\n/)
})

test('an invalid hostname gets no CSR', async () => {
  const keys = await generateKeyPair()
  const bad = [
    '',
    'a b',
    'a,DNS:b',
    'ü.example',
    '127.0.0.1/',
    'a..b',
    `${'x'.repeat(64)}.com`,
    '*.*.a',
    'a\0b',
  ]
  for (const name of bad) await assert.rejects(createCsr([name], keys), TypeError, name)
  await assert.rejects(createCsr([], keys), TypeError)
})
