import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRoot } from '../internal-ca/internal-ca.ts'
import { type StubResponse, startStubCa } from './stub-ca.test-kit.ts'

const order = {
  status: 'pending',
  identifiers: [],
  authorizations: [],
  finalize: 'https://ca.example/finalize',
}
const chainType = { 'content-type': 'application/pem-certificate-chain' }

const answers: { of: string; answer: StubResponse; says: RegExp }[] = [
  {
    of: 'a redirect',
    answer: { status: 302, headers: { location: 'https://elsewhere.example/' } },
    says: /302/,
  },
  {
    of: 'another content type',
    answer: { headers: { 'content-type': 'text/html' }, body: order },
    says: /json/,
  },
  { of: 'a body that is not JSON', answer: { body: '{"status":' }, says: /expected object/ },
  { of: 'an unknown status', answer: { body: { ...order, status: 'happy' } }, says: /status/ },
  {
    of: 'a plain HTTP URL of another host',
    answer: { body: { ...order, finalize: 'http://ca.example/' } },
    says: /https/,
  },
  { of: 'a huge body', answer: { body: ' '.repeat(300_000) }, says: /too large/ },
]

for (const { of, answer, says } of answers) {
  test(`${of} is rejected as an invalid response`, async () => {
    await using ca = await startStubCa(() => ({ '/order': answer }))
    await assert.rejects(ca.client.readOrder(ca.account, `${ca.url}/order`), {
      name: 'AcmeProblem',
      kind: 'invalid_answer',
      message: says,
    })
  })
}

test('a chain that contains a private key is rejected', async () => {
  const { certificatePem, privateKeyPem } = await createRoot(Date.now())
  await using ca = await startStubCa(() => ({
    '/good': { headers: chainType, body: certificatePem },
    '/with-key': { headers: chainType, body: certificatePem + privateKeyPem },
  }))
  assert.equal((await ca.client.download(ca.account, `${ca.url}/good`)).chainPem, certificatePem)
  await assert.rejects(ca.client.download(ca.account, `${ca.url}/with-key`), { kind: 'invalid_answer' })
})

test('a challenge with a malformed token is ignored', async () => {
  const challenge = (token: string) => ({
    type: 'http-01',
    url: 'https://ca.example/c',
    status: 'pending',
    token,
  })
  const identifier = { type: 'dns', value: 'www.example.com' }
  const challenges = [
    challenge('../../secret'),
    { type: 'dns-persist-01', url: 1 },
    challenge('good-token_1'),
  ]
  await using ca = await startStubCa(() => ({
    '/authorization': { body: { status: 'pending', identifier, challenges } },
  }))
  const authorization = await ca.client.readAuthorization(ca.account, `${ca.url}/authorization`)
  assert.deepEqual(
    authorization.challenges.map(({ token }) => token),
    ['good-token_1'],
  )
})

test('a response that never ends times out as unreachable', async () => {
  await using ca = await startStubCa(
    () => ({ '/order': (response) => void response.writeHead(200).write('{') }),
    { timeoutMs: 200 },
  )
  await assert.rejects(ca.client.readOrder(ca.account, `${ca.url}/order`), { kind: 'unreachable' })
})

test('an account without a usable URL is rejected', async () => {
  for (const location of ['http://ca.example/account/1', 'https://[', '']) {
    await using ca = await startStubCa(() => ({
      '/new-account': { status: 201, headers: { location }, body: {} },
    }))
    await assert.rejects(ca.client.register({ key: ca.account.key }), { kind: 'invalid_answer' }, location)
  }
})

test('a directory that could not be read is requested again', async () => {
  let broken = true
  await using ca = await startStubCa(() => ({
    ...(broken && { '/directory': { status: 500 } }),
    '/new-account': { status: 201, headers: { location: '/account/1' }, body: {} },
  }))
  const { key } = ca.account
  await assert.rejects(ca.client.register({ key }), { kind: 'server_internal' })
  broken = false
  assert.deepEqual(await ca.client.register({ key }), ca.account)
})
