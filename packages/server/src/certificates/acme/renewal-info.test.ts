import assert from 'node:assert/strict'
import { test } from 'node:test'
import { day, hour, minute, second } from '../../kernel/clock.ts'
import { createRoot, issueLeaf } from '../internal-ca/internal-ca.ts'
import { generateKeyPair } from '../x509/key-pair.ts'
import { renewalId } from '../x509/renewal-id.ts'
import { startStubCa } from './stub-ca.test-kit.ts'

/** RFC 9773, appendix A. */
const example = `-----BEGIN CERTIFICATE-----
MIIBQzCB66ADAgECAgUAh2VDITAKBggqhkjOPQQDAjAVMRMwEQYDVQQDEwpFeGFt
cGxlIENBMCIYDzAwMDEwMTAxMDAwMDAwWhgPMDAwMTAxMDEwMDAwMDBaMBYxFDAS
BgNVBAMTC2V4YW1wbGUuY29tMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEeBZu
7cbpAYNXZLbbh8rNIzuOoqOOtmxA1v7cRm//AwyMwWxyHz4zfwmBhcSrf47NUAFf
qzLQ2PPQxdTXREYEnKMjMCEwHwYDVR0jBBgwFoAUaYhba4dGQEHhs3uEe6CuLN4B
yNQwCgYIKoZIzj0EAwIDRwAwRAIge09+S5TZAlw5tgtiVvuERV6cT4mfutXIlwTb
+FYN/8oCIClDsqBklhB9KAelFiYt9+6FDj3z4KGVelYM5MdsO3pK
-----END CERTIFICATE-----
`
const id = 'aYhba4dGQEHhs3uEe6CuLN4ByNQ.AIdlQyE'
const now = Date.parse('2026-08-01T12:00:00Z')
const suggestedWindow = { start: '2026-08-20T00:00:00Z', end: '2026-08-22T02:00:00+02:00' }

function startCa(body: unknown, headers: Record<string, string> = {}) {
  return startStubCa(() => ({ [`/renewal-info/${id}`]: { body, headers } }), { now: () => now })
}

test('the certificate in the RFC has the identifier given there', () => {
  assert.equal(renewalId(example), id)
})

test('a serial number without a high bit gets no zero byte', async () => {
  const root = await createRoot(now)
  const { publicKey } = await generateKeyPair()
  const { chainPem, serial } = await issueLeaf(root, { name: 'a.localhost', publicKey, now })
  const [, number = ''] = renewalId(chainPem)?.split('.') ?? []
  assert.equal(Buffer.from(number, 'base64url').toString('hex'), serial)
})

test('a certificate without an authority key identifier has no identifier', async () => {
  assert.equal(renewalId((await createRoot(now)).certificatePem), null)
})

test('the window and the next check are read', async () => {
  const explanationURL = 'https://ca.example/incident'
  await using ca = await startCa({ suggestedWindow, explanationURL }, { 'retry-after': '7200' })
  assert.deepEqual(await ca.client.readRenewalInfo(id), {
    window: { start: Date.parse('2026-08-20T00:00:00Z'), end: Date.parse('2026-08-22T00:00:00Z') },
    nextCheckAt: now + 2 * hour,
  })
})

test('the next check is neither too soon nor too late, whatever the CA says', async () => {
  const nextCheck = async (headers: Record<string, string>) => {
    await using ca = await startCa({ suggestedWindow }, headers)
    return (await ca.client.readRenewalInfo(id))?.nextCheckAt
  }
  assert.equal(await nextCheck({ 'retry-after': '0' }), now + minute)
  assert.equal(await nextCheck({ 'retry-after': String((90 * day) / second) }), now + day)
  assert.equal(await nextCheck({}), now + 6 * hour)
})

test('a window that ends before it starts is rejected', async () => {
  await using backwards = await startCa({
    suggestedWindow: { start: suggestedWindow.end, end: suggestedWindow.start },
  })
  await assert.rejects(backwards.client.readRenewalInfo(id), { kind: 'invalid_answer' })
})
