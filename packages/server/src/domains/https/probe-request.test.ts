import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { RequestListener } from 'node:http'
import { createServer } from 'node:https'
import { type AddressInfo, createServer as createPlainServer, type Server } from 'node:net'
import { test } from 'node:test'
import { createServer as createTlsServer } from 'node:tls'
import { createRoot, issueLeaf } from '../../certificates/internal-ca/internal-ca.ts'
import { generateKeyPair, privateKeyPem } from '../../certificates/x509/key-pair.ts'
import { ProbeError, requestOverHttps } from './probe-request.ts'

const name = 'www.acme.example'

async function issue({ of = name, now = Date.now() } = {}) {
  const root = await createRoot(now)
  const keys = await generateKeyPair()
  const { chainPem, serial } = await issueLeaf(root, { name: of, publicKey: keys.publicKey, now })
  return { chain: chainPem, serial, keyPem: privateKeyPem(keys), root: root.certificatePem }
}

async function listening<T extends Server>(server: T) {
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  return { at: { host: '127.0.0.1', port }, [Symbol.dispose]: () => void server.close() }
}

function serve({ chain, keyPem }: { chain: string; keyPem: string }, answer: RequestListener) {
  return listening(createServer({ cert: chain, key: keyPem }, answer))
}

test('any response with the installed certificate counts, whatever its status', async () => {
  const stored = await issue()
  for (const status of [200, 404, 503]) {
    const asked: unknown[] = []
    using edge = await serve(stored, (request, response) => {
      asked.push(
        request.headers.host,
        request.url,
        'servername' in request.socket && request.socket.servername,
      )
      response.writeHead(status).end('a'.repeat(1_000_000))
    })
    assert.equal(await requestOverHttps(name, stored, edge.at), '127.0.0.1')
    assert.deepEqual(asked, [`${name}:${edge.at.port}`, '/', name])
  }
})

test('a chain with its issuer is trusted by the issuer', async () => {
  const stored = await issue()
  const whole = { ...stored, chain: stored.chain + stored.root }
  using edge = await serve(whole, (_, response) => response.end())
  assert.equal(await requestOverHttps(name, whole, edge.at), '127.0.0.1')
})

test('an edge that does not serve the name, or an older certificate of it, does not count', async () => {
  const stored = await issue()
  using refusing = await serve(stored, (_, response) => response.writeHead(421).end())
  await assert.rejects(requestOverHttps(name, stored, refusing.at), probeError(/421/))

  using stale = await serve(await issue(), (_, response) => response.end())
  await assert.rejects(requestOverHttps(name, stored, stale.at), probeError(/not the installed one/))

  const whole = { ...stored, chain: stored.chain + stored.root, serial: 'another' }
  using renewed = await serve(whole, (_, response) => response.end())
  await assert.rejects(requestOverHttps(name, whole, renewed.at), probeError(/not another/))
})

test('a certificate that has expired, or is for another name, does not count', async () => {
  for (const unfit of [{ now: Date.now() - 30 * 86_400_000 }, { of: 'acme.example' }]) {
    const stored = await issue(unfit)
    using edge = await serve(stored, (_, response) => response.end())
    await assert.rejects(requestOverHttps(name, stored, edge.at), probeError(/not the installed one/))
  }
})

test('a server that never responds is given up on', async () => {
  const stored = await issue()
  using silent = await serve(stored, () => {})
  await assert.rejects(requestOverHttps(name, stored, silent.at, 300), probeError(/no response in time/))
  using mute = await listening(createPlainServer())
  await assert.rejects(requestOverHttps(name, stored, mute.at, 300), probeError(/no response in time/))
})

test('a refused connection, a refused handshake, and anything that is not TLS or HTTP is described', async () => {
  const stored = await issue()
  const gone = await listening(createPlainServer())
  gone[Symbol.dispose]()
  await assert.rejects(requestOverHttps(name, stored, gone.at), probeError(/refused/))

  using alerting = await listening(createServer({ SNICallback: (_, done) => done(new Error('unknown')) }))
  await assert.rejects(requestOverHttps(name, stored, alerting.at), probeError(/closed|handshake/))

  using chatting = await listening(createPlainServer((socket) => socket.end('220 mail\r\n')))
  await assert.rejects(requestOverHttps(name, stored, chatting.at), probeError(/handshake/))

  const mail = createTlsServer({ cert: stored.chain, key: stored.keyPem }, (socket) =>
    socket.end('220 mail\r\n'),
  )
  using talking = await listening(mail)
  await assert.rejects(requestOverHttps(name, stored, talking.at), probeError(/not HTTP/))
})

function probeError(message: RegExp) {
  return (error: unknown) => {
    assert.ok(error instanceof ProbeError, String(error))
    assert.match(error.message, message)
    assert.doesNotMatch(error.message, /127\.0\.0\.1|deps|openssl/)
    return true
  }
}
