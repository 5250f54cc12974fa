import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { siteName } from '../edge/https.test-kit.ts'
import { dashboardName, onEachPlatform, type Platform } from './platform.test-kit.ts'

const wholeLimit = 60

/** Malformed requests by their fault, with the status they get from the platform, and from a site if that is another. */
const unreadable: Record<string, [status: number, bytes: (host: string) => string, ofSite?: number]> = {
  'no request line': [400, () => 'nonsense\r\n\r\n'],
  'a bad request line': [400, (host) => `GET / x HTTP/1.1\r\nHost: ${host}\r\n\r\n`],
  'another version': [400, (host) => `GET / HTTP/9.9\r\nHost: ${host}\r\n\r\n`, 505],
  'a bad header': [400, (host) => `GET / HTTP/1.1\r\nHost: ${host}\r\nBad Name: x\r\n\r\n`],
  'lines that end in LF': [400, (host) => `GET / HTTP/1.1\nHost: ${host}\n\n`],
  'a NUL in a header': [400, (host) => `GET / HTTP/1.1\r\nHost: ${host}\r\nX: a\0b\r\n\r\n`],
  'a NUL in the target': [400, (host) => `GET /\0 HTTP/1.1\r\nHost: ${host}\r\n\r\n`],
  'two lengths': [
    400,
    (host) => `POST / HTTP/1.1\r\nHost: ${host}\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n`,
  ],
  'a head of 17 KiB': [
    431,
    (host) => `GET / HTTP/1.1\r\nHost: ${host}\r\nX: ${'x'.repeat(17 * 1024)}\r\n\r\n`,
  ],
}

/** Requests without exactly one host. */
const withoutOneHost: Record<string, (host: string) => string> = {
  'two Hosts': (host) => `GET /v1/server HTTP/1.1\r\nHost: ${host}\r\nHost: ${host}\r\n\r\n`,
  'two different Hosts': (host) => `GET / HTTP/1.1\r\nHost: ${host}\r\nhost: other.example\r\n\r\n`,
  'no Host': () => 'GET /v1/server HTTP/1.1\r\n\r\n',
}

let addresses = 0
/** An address that has not sent anything yet. */
const newAddress = () => `127.101.0.${++addresses}`

/** Everything received until the server closes. */
const ways: Record<
  string,
  (platform: Platform, bytes: string, from: string, name: string) => Promise<string>
> = {
  async 'plain HTTP'({ edge }, bytes, localAddress) {
    const socket = connect({ port: edge.plainPort, host: '127.0.0.1', localAddress })
    await once(socket, 'connect')
    socket.write(bytes, 'latin1')
    return text(socket)
  },
  async TLS({ edge }, bytes, localAddress, name) {
    const tcp = connect({ port: edge.port, host: '127.0.0.1', localAddress })
    const socket = await edge.dial(name, { socket: tcp })
    socket.write(bytes, 'latin1')
    return text(socket)
  },
}

function assertProblem(answer: string, status: number, remaining: number, what: string): void {
  const [head = '', body = ''] = answer.split('\r\n\r\n')
  const header = (name: string) => new RegExp(`^${name}: *(.*)$`, 'im').exec(head)?.[1]
  assert.equal(answer.split(' ')[1], String(status), `${what}: ${answer}`)
  assert.equal(header('content-type'), 'application/problem+json', what)
  assert.equal(header('connection'), 'close', answer)
  assert.equal(header('x-ratelimit-limit'), String(wholeLimit), what)
  assert.equal(header('x-ratelimit-remaining'), String(remaining), what)
  assert.match(header('ratelimit') ?? '', /"minute"/, what)
  const document = JSON.parse(body) as { status: number; requestId: string }
  assert.equal(document.status, status, what)
  assert.equal(document.requestId, header('x-request-id'), what)
}

onEachPlatform('what cannot be read', (start) => {
  for (const [way, send] of Object.entries(ways)) {
    test(`is refused with a problem and counted by its address, over ${way}`, async () => {
      await using platform = await start()
      const from = newAddress()
      let left = wholeLimit
      for (const [what, [status, bytes]] of Object.entries(unreadable)) {
        assertProblem(await send(platform, bytes('localhost'), from, dashboardName), status, --left, what)
      }
      for (const [what, bytes] of Object.entries(withoutOneHost)) {
        assertProblem(await send(platform, bytes('localhost'), from, dashboardName), 400, --left, what)
      }
      while (left > 0) {
        assertProblem(await send(platform, 'x\r\n\r\n', from, dashboardName), 400, --left, 'again')
      }
      assertProblem(await send(platform, 'x\r\n\r\n', from, dashboardName), 429, 0, 'too many')
    })

    test(`is answered in plain text if it is for a site, over ${way}`, async () => {
      await using platform = await start()
      await platform.edge.certify(siteName)
      for (const [what, [status, bytes, ofSite = status]] of Object.entries(unreadable)) {
        if (!bytes(siteName).includes(siteName)) continue
        const answer = await send(platform, bytes(siteName), newAddress(), siteName)
        assert.match(answer, new RegExp(`^HTTP/1\\.1 ${ofSite} [^]*\r\nContent-Type: text/plain`), what)
        assert.doesNotMatch(answer, /ratelimit/i, what)
      }
    })
  }

  test('is refused even if more of it arrives in pieces and its client has stopped sending', async () => {
    await using platform = await start()
    const { plainPort: port } = platform.edge
    const socket = connect({ port, host: '127.0.0.1', localAddress: newAddress() })
    await once(socket, 'connect')
    for (const piece of ['GET / HT', 'nonsense\r\n', 'more\r\n\r\n', 'GET / HTTP/1.1\r\n\r\n']) {
      await new Promise<unknown>((resolve) => socket.write(piece, resolve))
    }
    socket.end()
    assertProblem(await text(socket), 400, wholeLimit - 1, 'pieces')
  })
})
