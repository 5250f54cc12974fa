import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { until } from '@masthead/testing/until.ts'
import { createDns } from '../../dns/dns.ts'
import { minute, second } from '../../kernel/clock.ts'
import { targetRules } from '../../outgoing/target.ts'
import { IssuerError, IssuerKeys } from './issuer-keys.ts'

const dns = createDns({
  servers: [{ address: '127.0.0.1', port: 1 }],
  authoritativePort: 1,
  allowPrivate: true,
})
const timeouts = { resolve: 20_000, connect: 20_000 }
const rsa = { kty: 'RSA', kid: 'a', alg: 'RS256', n: 'A'.repeat(342), e: 'AQAB' }

async function startIssuer(handle: (issuer: string) => RequestListener) {
  const sockets = new Set<Socket>()
  const asked: string[] = []
  const server = createServer((req, res) => {
    asked.push(req.url ?? '')
    handle(issuer)(req, res)
  }).listen(0, '127.0.0.1')
  server.on('connection', (socket) => sockets.add(socket))
  await once(server, 'listening')
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    issuer,
    asked,
    sockets,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
    },
  }
}

/** Answers as an issuer should, with what the test changes. */
const honest =
  (changes: { configuration?: object; jwks?: () => unknown } = {}) =>
  (issuer: string): RequestListener =>
  (req, res) => {
    const configuration = { issuer, jwks_uri: `${issuer}/jwks`, ...changes.configuration }
    const body = req.url === '/jwks' ? (changes.jwks?.() ?? { keys: [rsa] }) : configuration
    res.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  }

function laptop({ timeout, domain = 'masthead.localhost' }: { timeout?: number; domain?: string } = {}) {
  const clock = { at: Date.UTC(2030, 0, 1) }
  return {
    clock,
    keys: new IssuerKeys({ dns, rules: targetRules(domain), timeouts }, () => clock.at, timeout),
  }
}

const failsWith = (pattern: RegExp) => (error: unknown) => {
  assert.ok(error instanceof IssuerError, String(error))
  assert.match(error.message, pattern)
  return true
}

test('keys are found by discovery and remembered for ten minutes', async () => {
  await using peer = await startIssuer(honest())
  const { keys, clock } = laptop()
  await Promise.all([keys.get(peer.issuer, 'a'), keys.get(peer.issuer, 'b')])
  clock.at += 9 * minute
  await keys.get(peer.issuer, 'a')
  assert.deepEqual(peer.asked, ['/.well-known/openid-configuration', '/jwks'])
  clock.at += 2 * minute
  await keys.get(peer.issuer, 'a')
  assert.equal(peer.asked.length, 4)
})

test('unknown keys make us ask again, but only now and then', async () => {
  await using peer = await startIssuer(honest())
  const { keys, clock } = laptop()
  await keys.get(peer.issuer, 'a')
  assert.equal(await keys.renewed(peer.issuer, 'a'), null)
  assert.equal(peer.asked.length, 2)
  clock.at += 21 * second
  const renewed = await Promise.all([1, 2, 3].map(() => keys.renewed(peer.issuer, 'a')))
  assert.ok(renewed.every((one) => one !== null))
  assert.equal(peer.asked.length, 4)
})

test('an issuer that is down keeps its keys for an hour', async () => {
  let isDown = false
  await using peer = await startIssuer((issuer) => (req, res) => {
    if (isDown) res.writeHead(503).end()
    else honest()(issuer)(req, res)
  })
  const { keys, clock } = laptop()
  await keys.get(peer.issuer, 'a')
  isDown = true
  clock.at += 11 * minute
  await keys.get(peer.issuer, 'a')
  assert.equal(await keys.renewed(peer.issuer, 'a'), null)
  clock.at += 50 * minute
  await assert.rejects(keys.get(peer.issuer, 'a'), failsWith(/status 503/))
  isDown = false
  await assert.rejects(keys.get(peer.issuer, 'a'), failsWith(/status 503/), 'it is not asked again at once')
  clock.at += 21 * second
  await keys.get(peer.issuer, 'a')
})

test('an issuer that hangs is given up, and occupies no more than a share', async () => {
  await using peer = await startIssuer(() => () => {})
  const { keys } = laptop({ timeout: 500 })
  const attempts = [1, 2, 3, 4].map((n) => keys.get(`${peer.issuer}/${n}`, 'one account'))
  const outcomes = await Promise.allSettled(attempts)
  const reasons = outcomes.map((one) => (one.status === 'rejected' ? String(one.reason.message) : 'found'))
  assert.equal(reasons.filter((reason) => /did not answer in time/.test(reason)).length, 2)
  assert.equal(reasons.filter((reason) => /Too many issuers/.test(reason)).length, 2)
  await until(() => [...peer.sockets].every((socket) => socket.closed))
})

test('an answer that never ends is cut off by its size', async () => {
  await using peer = await startIssuer((issuer) => (req, res) => {
    if (req.url !== '/jwks') return honest()(issuer)(req, res)
    const write = () => {
      while (!res.destroyed && res.write('x'.repeat(65_536)));
    }
    res.on('drain', write).on('error', () => {})
    write()
  })
  await assert.rejects(laptop().keys.get(peer.issuer, 'a'), failsWith(/more than 128 KiB/))
  await until(() => [...peer.sockets].every((socket) => socket.closed))
})

test('10 MB of keys, or a thousand, are refused', async () => {
  await using large = await startIssuer(
    honest({ jwks: () => ({ keys: [{ ...rsa, x5c: ['x'.repeat(10_000_000)] }] }) }),
  )
  await assert.rejects(laptop().keys.get(large.issuer, 'a'), failsWith(/more than 128 KiB/))
  await using many = await startIssuer(
    honest({ jwks: () => ({ keys: Array.from({ length: 1_000 }, () => ({})) }) }),
  )
  await assert.rejects(laptop().keys.get(many.issuer, 'a'), failsWith(/more than 50 keys/))
})

test('redirects are not followed, wherever they lead', async () => {
  let reached = false
  await using secret = await startIssuer(() => (_, res) => {
    reached = true
    res.end('{}')
  })
  for (const location of [`${secret.issuer}/jwks`, 'http://169.254.169.254/latest/meta-data', '/elsewhere']) {
    await using peer = await startIssuer((issuer) => (req, res) => {
      if (req.url !== '/jwks') return honest()(issuer)(req, res)
      res.writeHead(302, { location }).end()
    })
    await assert.rejects(laptop().keys.get(peer.issuer, 'a'), failsWith(/redirect/))
  }
  assert.equal(reached, false)
})

test('keys at a private address, or without TLS, are not fetched', async () => {
  const wrong = [
    'http://169.254.169.254/keys',
    'https://10.0.0.1/keys',
    'https://[fd00::1]/keys',
    'http://acme.com/keys',
    'file:///etc/passwd',
    'https://user:pw@acme.com/keys',
    '//acme.com',
  ]
  for (const jwks_uri of wrong) {
    await using peer = await startIssuer(honest({ configuration: { jwks_uri } }))
    await assert.rejects(laptop().keys.get(peer.issuer, 'a'), IssuerError, jwks_uri)
    assert.equal(peer.asked.length, 1)
  }
})

test('where the platform is public, this machine is not asked', async () => {
  await using peer = await startIssuer(honest())
  const { keys } = laptop({ domain: 'masthead.example' })
  await assert.rejects(keys.get(peer.issuer, 'a'), failsWith(/https/))
  await assert.rejects(keys.get(peer.issuer.replace('http:', 'https:'), 'a'), failsWith(/private address/))
  assert.deepEqual(peer.asked, [])
})

test('an issuer that names another one, or no keys, is refused', async () => {
  const lies = [
    { issuer: 'https://token.actions.githubusercontent.com' },
    { issuer: undefined },
    { jwks_uri: 5 },
  ]
  for (const configuration of lies) {
    await using peer = await startIssuer(honest({ configuration }))
    await assert.rejects(laptop().keys.get(peer.issuer, 'a'), failsWith(/discovery document/))
  }
  for (const jwks of [[], null, 'keys', { keys: {} }, { keys: null }]) {
    await using peer = await startIssuer(honest({ jwks: () => jwks ?? 'null' }))
    await assert.rejects(laptop().keys.get(peer.issuer, 'a'), failsWith(/did not answer with keys/))
  }
})

test('what is no JSON, or compressed, is refused', async () => {
  await using text = await startIssuer(() => (_, res) => void res.end('<html>'))
  await assert.rejects(laptop().keys.get(text.issuer, 'a'), failsWith(/did not answer with JSON/))
  await using gzip = await startIssuer(
    () => (_, res) => void res.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('{}')),
  )
  await assert.rejects(laptop().keys.get(gzip.issuer, 'a'), failsWith(/encoding/))
})

test('nobody there', async () => {
  const { issuer } = await startIssuer(honest()).then(async (peer) => {
    await peer[Symbol.asyncDispose]()
    return peer
  })
  await assert.rejects(laptop().keys.get(issuer, 'a'), failsWith(/refused/))
})
