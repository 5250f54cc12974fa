import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { test } from 'node:test'
import { certificateRequest } from './certificate-request.ts'
import { newKeyPair } from './key-pair.ts'

test('a request names the host in its SAN alone and is signed', async () => {
  const request = await certificateRequest(['www.example.com'], await newKeyPair())
  const command = ['req', '-inform', 'der', '-noout', '-verify', '-text']
  const text = execFileSync('openssl', command, { input: request, encoding: 'utf8', stdio: 'pipe' })
  assert.match(text, /Subject: *\n/)
  assert.match(text, /X509v3 Subject Alternative Name: critical\s+DNS:www\.example\.com\n/)
})

test('what is no name of a host gets no request', async () => {
  const keys = await newKeyPair()
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
  for (const name of bad) await assert.rejects(certificateRequest([name], keys), TypeError, name)
  await assert.rejects(certificateRequest([], keys), TypeError)
})
