import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { randomBytes, X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { connect as connectTcp } from 'node:net'
import { Duplex } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { describe, test } from 'node:test'
import { setImmediate, setTimeout } from 'node:timers/promises'
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls'
import { promisify } from 'node:util'
import { validationCertificate } from '../../certificates/acme/tls-alpn-01.ts'
import { siteName, startHttps } from '../https.test-kit.ts'

type Https = Awaited<ReturnType<typeof startHttps>>

const get = `GET / HTTP/1.1\r\nHost: ${siteName}\r\nConnection: close\r\n\r\n`

async function startSite(wishes: Parameters<typeof startHttps>[0] = {}): Promise<Https> {
  const edge = await startHttps(wishes)
  await edge.publish('hello', { '/index.html': 'front' })
  await edge.certify(siteName)
  return edge
}

/** The output of `openssl s_client` for a handshake. */
async function openssl(edge: Https, ...more: string[]): Promise<string> {
  const address = ['-connect', `127.0.0.1:${edge.port}`, '-CAfile', edge.rootFile]
  const asked = promisify(execFile)('openssl', ['s_client', ...address, ...more])
  asked.child.stdin?.end()
  const { stdout, stderr } = await asked.catch((failed: { stdout: string; stderr: string }) => failed)
  return stdout + stderr
}

describe('a handshake', () => {
  for (const version of ['-tls1_2', '-tls1_3']) {
    test(`is completed with the chain of the name (${version})`, async () => {
      await using edge = await startSite()
      const said = await openssl(edge, version, '-servername', siteName, '-verify_return_error')
      assert.match(said, /Verify return code: 0 \(ok\)/)
      assert.equal(edge.listener.handshakes.completed, 1)
    })
  }

  test('uses post-quantum key exchange with clients that offer it, and X25519 with others', async () => {
    await using edge = await startSite()
    for (const [offered, agreed] of [
      ['X25519MLKEM768:X25519', 'X25519MLKEM768'],
      // A client that only lists it gets no extra round trip for it.
      ['X25519:X25519MLKEM768', 'X25519'],
      ['X25519', 'X25519'],
      ['P-256', 'prime256v1'],
      ['P-384', 'secp384r1'],
    ] as const) {
      const socket = await edge.dial(siteName, { ecdhCurve: offered, minVersion: 'TLSv1.3' })
      assert.equal(keyGroup(socket), agreed)
      socket.destroy()
    }
    const older = await edge.dial(siteName, { maxVersion: 'TLSv1.2' })
    assert.equal(keyGroup(older), 'X25519')
    older.destroy()
  })

  test('for an unknown name ends with an alert, and so does one without a name', async () => {
    await using edge = await startSite()
    for (const version of ['-tls1_2', '-tls1_3']) {
      assert.match(await openssl(edge, version, '-servername', 'nobody.example'), /alert number 112/)
      assert.match(await openssl(edge, version, '-noservername'), /alert number 112/)
    }
    assert.equal(edge.listener.handshakes.refused.unknown, 4)
    // Before and after the check for a pending certificate, and never again.
    assert.equal(edge.loads.ofDomain, 2)
  })

  test('waits for a pending certificate, however many clients ask and however slow it is', async () => {
    const name = 'www.acme.com'
    await using edge = await startSite({ listener: { handshakeLimits: { handshakeTimeout: 1500 } } })
    edge.source.onTheirWay.add(name)
    const waiting = Array.from({ length: 5 }, () => edge.dial(name))
    await setTimeout(2000)
    await edge.certify(name)
    edge.source.onTheirWay.delete(name)
    edge.cache.changed({ hostname: name })
    for (const socket of await Promise.all(waiting)) socket.destroy()
    assert.deepEqual(edge.listener.handshakes.refused, { unknown: 0, unavailable: 0, malformed: 0 })
  })

  test('ends with another alert if the look-up fails', async () => {
    await using edge = await startSite()
    edge.source.isAway = true
    assert.match(await openssl(edge, '-servername', siteName), /alert number 80/)
  })

  test('with an old TLS version ends with an alert', async () => {
    await using edge = await startSite()
    const old = ['-tls1_1', '-cipher', 'DEFAULT@SECLEVEL=0', '-servername', siteName]
    assert.match(await openssl(edge, ...old), /alert number 70/)
    assert.equal(edge.listener.handshakes.failed, 1)
  })

  test('with unsupported protocols ends with an alert', async () => {
    await using edge = await startSite()
    assert.match(await openssl(edge, '-alpn', 'spdy/1', '-servername', siteName), /alert number 120/)
  })

  test('fails for a removed name, even with an old session', async () => {
    await using edge = await startSite()
    const ticket = await sessionOf(edge, { maxVersion: 'TLSv1.2' })
    edge.certificates.delete(siteName)
    edge.cache.changed({ hostname: siteName, stopped: true })
    await assert.rejects(edge.dial(siteName, { session: ticket, maxVersion: 'TLSv1.2' }), /alert number 112/)
  })
})

/** Sends a request and keeps the session for resumption. */
async function sessionOf(edge: Https, more: ConnectionOptions = {}): Promise<Buffer> {
  const socket = await edge.dial(siteName, more)
  const closed = once(socket, 'close')
  // In TLS 1.3 the ticket comes after the handshake, in TLS 1.2 as part of it.
  const session = socket.getProtocol() === 'TLSv1.3' ? once(socket, 'session') : [socket.getSession()]
  socket.write(get)
  socket.resume()
  const [ticket] = (await session) as [Buffer]
  await closed
  return ticket
}

async function isResumed(edge: Https, session: Buffer, more: ConnectionOptions = {}): Promise<boolean> {
  const socket = await edge.dial(siteName, { session, ...more })
  const resumed = socket.isSessionReused()
  socket.write(`GET / HTTP/1.1\r\nHost: ${more.servername ?? siteName}\r\nConnection: close\r\n\r\n`)
  assert.match((await buffer(socket)).toString('latin1'), /^HTTP\/1\.1 \d+ /)
  return resumed
}

describe('a session', () => {
  for (const maxVersion of ['TLSv1.2', 'TLSv1.3'] as const) {
    test(`is resumed by another process with the same keys, but not with others (${maxVersion})`, async () => {
      const ticketKey = randomBytes(48)
      await using first = await startSite({ ticketKey })
      await using second = await startSite({ ticketKey })
      // Both serve the same site, like two processes.
      second.certificates.set(siteName, first.certificates.get(siteName) ?? assert.fail())
      const ca = first.root.certificatePem
      const session = await sessionOf(first, { maxVersion })
      assert.equal(await isResumed(first, session, { maxVersion }), true)
      assert.equal(await isResumed(second, session, { maxVersion, ca }), true)
      second.rotate(randomBytes(48))
      assert.equal(await isResumed(second, session, { maxVersion, ca }), false)
    })
  }
})

test('a session is resumed under its own name only, and the handshake under another is a whole one', async () => {
  await using edge = await startSite()
  const [first, second] = ['www.acme.com', 'www.other.com']
  await edge.certify(first, second)
  for (const maxVersion of ['TLSv1.2', 'TLSv1.3'] as const) {
    const session = await sessionOf(edge, { maxVersion, servername: first })
    for (const [servername, isSame] of [
      [first, true],
      [second, false],
      [first, true],
    ] as const) {
      assert.equal(await isResumed(edge, session, { maxVersion, servername }), isSame, maxVersion)
    }
  }
})

describe('a certificate authority', () => {
  for (const version of ['-tls1_2', '-tls1_3']) {
    test(`that validates gets the validation certificate and nothing else (${version})`, async () => {
      await using edge = await startSite()
      const now = Date.now()
      edge.validations.set(
        siteName,
        await validationCertificate({ name: siteName, keyAuthorization: 'a.b', now }),
      )
      const said = await openssl(edge, version, '-servername', siteName, '-alpn', 'acme-tls/1')
      assert.match(said, /ALPN protocol: acme-tls\/1/)
      const shown = new X509Certificate(/-----BEGIN.*?-----END CERTIFICATE-----/s.exec(said)?.[0] ?? '')
      assert.ok(shown.raw.includes(Buffer.from('2b0601050507011f', 'hex')), 'no acmeIdentifier')
      assert.deepEqual([edge.listener.handshakes.validated, edge.listener.handshakes.completed], [1, 0])
      assert.deepEqual([edge.loads.ofPlatform, edge.loads.validation], [0, 1])
    })
  }

  test('is refused if there is no challenge', async () => {
    await using edge = await startSite()
    assert.match(await openssl(edge, '-servername', siteName, '-alpn', 'acme-tls/1'), /alert number 112/)
  })
})

describe('a hostile client', () => {
  test('that does not speak TLS is closed and counted', async () => {
    await using edge = await startSite()
    for (const bytes of ['GET / HTTP/1.1\r\n\r\n', '\x16\x03\x01\x00\x05\x01\x00\x00\x01\x00', '\x00']) {
      const socket = await edge.dialTcp()
      socket.write(bytes, 'latin1')
      socket.resume()
      await once(socket, 'close')
    }
    assert.equal(edge.listener.handshakes.refused.malformed, 3)
    assert.match(await edge.exchange(get), /front$/)
  })

  test('that speaks plain HTTP is told so in words, even if it still sends', async () => {
    await using edge = await startSite()
    for (const bytes of [
      `GET / HTTP/1.1\r\nHost: ${siteName}\r\n\r\n`,
      `POST / HTTP/1.1\r\n${'x'.repeat(100_000)}`,
    ]) {
      const socket = await edge.dialTcp()
      socket.write(bytes)
      assert.match(String(await buffer(socket)), /^HTTP\/1\.1 400 Bad Request\r\n.*Use https:/s)
    }
  })

  test('that sends nothing, only the beginning, or garbage is closed in time', async () => {
    await using edge = await startSite({ listener: { handshakeLimits: { handshakeTimeout: 300 } } })
    const hello = await helloBytes(edge)
    for (const bytes of [
      Buffer.alloc(0),
      hello.subarray(0, 40),
      hello,
      Buffer.concat([hello, randomBytes(500)]),
    ]) {
      const socket = await edge.dialTcp()
      socket.write(bytes)
      socket.resume()
      await once(socket, 'close')
    }
    await settled(edge)
    assert.equal(edge.listener.handshakes.completed, 0)
    assert.ok(edge.listener.handshakes.failed >= 4)
  })

  test('that holds all handshakes is evicted, the oldest first', async () => {
    await using edge = await startSite({ listener: { handshakeLimits: { maxHandshakes: 10 } } })
    const idle = await Promise.all(Array.from({ length: 30 }, () => edge.dialTcp()))
    for (const socket of idle) socket.resume()
    assert.match(await edge.exchange(get), /front$/)
    while (idle.filter((socket) => socket.closed).length < 20) await setImmediate()
    for (const socket of idle) socket.destroy()
  })

  test('that uses up the share of its address takes nothing from others', async () => {
    await using edge = await startSite({ listener: { handshakeLimits: { maxHandshakes: 20 } } })
    const other = connectTcp({ port: edge.port, host: '127.0.0.1', localAddress: '127.0.0.2' })
    other.on('error', () => {}).resume()
    await once(other, 'connect')
    const idle = await Promise.all(Array.from({ length: 60 }, () => edge.dialTcp()))
    for (const socket of idle) socket.resume()
    while (idle.filter((socket) => socket.closed).length < 50) await setImmediate()
    assert.equal(other.closed, false)
    for (const socket of [other, ...idle]) socket.destroy()
  })

  test('that disconnects at any moment of the handshake leaves nothing behind', async () => {
    await using edge = await startSite()
    const hello = await helloBytes(edge)
    for (const length of [0, 1, 5, 100, hello.length]) {
      for (const end of ['end', 'destroy', 'resetAndDestroy'] as const) {
        const socket = await edge.dialTcp()
        socket.resume()
        if (length > 0) await new Promise((written) => socket.write(hello.subarray(0, length), written))
        socket[end]()
        if (!socket.closed) await once(socket, 'close')
      }
    }
    await settled(edge)
  })
})

function keyGroup(socket: TLSSocket): string | undefined {
  const info = socket.getEphemeralKeyInfo()
  return info !== null && 'name' in info ? info.name : undefined
}

async function settled(edge: Https): Promise<void> {
  while (edge.listener.connections() > 0) await setImmediate()
}

/** A complete ClientHello for the site, as OpenSSL writes it. */
async function helloBytes(edge: Https): Promise<Buffer> {
  const written = Promise.withResolvers<Buffer>()
  const socket = new Duplex({ read() {}, write: (chunk: Buffer) => written.resolve(chunk) })
  const client: TLSSocket = connect({ socket, servername: siteName, ca: edge.root.certificatePem })
  client.on('error', () => {})
  const hello = await written.promise
  client.destroy()
  return hello
}
