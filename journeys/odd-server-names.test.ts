import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { networkInterfaces } from 'node:os'
import { test } from 'node:test'
import { clientHello } from '@masthead/testing/clients/tls-client.ts'
import { MastheadProcess } from '@masthead/testing/masthead-process.ts'
import { skipWithout } from '@masthead/testing/peers/peers.ts'
import { until } from '@masthead/testing/until.ts'
import { assertServed, startCaAndDns } from './ca-and-dns.ts'
import { createTenant } from './tenant.ts'

const own = 'acme.masthead.test'
const label = 'a'.repeat(63)
const addresses = Object.values(networkInterfaces()).flatMap((found) => found ?? [])

/** Names that never get a certificate. */
const oddNames: readonly (string | Uint8Array)[] = [
  ...['127.0.0.1', '127.0.0.1.', '127.1', '0.0.0.0', '2130706433', '0x7f000001', '10.0.0.1'],
  ...['::1', '[::1]', '[::]', '::ffff:127.0.0.1', '[::ffff:127.0.0.1]', '127.0.0.1:443', 'fe80::1%lo'],
  ...new Set(addresses.flatMap(({ address }) => [address, `[${address}]`])),
  ...['.', '..', '.acme.test', 'acme..test', 'www.acme.test.', 'www.acme.test..', '-', '_', '*'],
  ...['*.masthead.test', '*.acme.masthead.test', '_acme-challenge.acme.masthead.test', 'a_b.masthead.test'],
  ...['NOBODY.MASTHEAD.TEST', 'nobody--acme.masthead.test', '--acme.masthead.test', 'acme--.masthead.test'],
  ...['Cname.Masthead.Test', 'x.cname.masthead.test', 'masthead.test.', '.masthead.test', `${own}.`],
  ...['localhost.', 'localhost:443', 'com', 'test', ' ', 'www acme.test', 'www.acme.test/', 'a\r\nb.test'],
  ...['acme.masthead.test\0', '\0', 'acme\0.masthead.test', 'ac\u00adme.masthead.test', 'äcme.masthead.test'],
  ...['xn--cme-pla.masthead.test', 'acme。masthead.test', Buffer.from([0xff, 0xfe, 0x00, 0x80]), ''],
  ...[`${label}.masthead.test`, `${label}a.masthead.test`, `${label}.`.repeat(3) + label, 'a'.repeat(255)],
  ...['a.'.repeat(127), `${'a.'.repeat(120)}masthead.test`, 'a'.repeat(65_000 / 8), '1.'.repeat(126)],
]
/** Names of the platform. Their handshakes wait for a certificate, which the test does not do. */
const ownNames = [own, own.toUpperCase(), 'masthead.test', 'MastHead.Test', 'localhost', 'LOCALHOST']

/** Resolves when the server has answered, closed, or made the client wait. */
function send(port: number, hello: Buffer): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(hello))
    socket.setTimeout(300, () => socket.destroy())
    socket.on('error', () => {})
    socket.once('data', () => socket.destroy())
    socket.once('close', () => resolve())
  })
}

test('no server name, however odd, crashes the server or causes an order', {
  skip: skipWithout('pebble', 'knot'),
  timeout: 300_000,
}, async () => {
  await using around = await startCaAndDns()
  await using masthead = await MastheadProcess.start(around.masthead)
  const { httpPort, httpsPort } = masthead
  await createTenant(masthead, 'acme')

  const assertHealthy = async (after: string) => {
    const signal = AbortSignal.timeout(20_000)
    const answer = await fetch(`http://127.0.0.1:${httpPort}/healthz`, { signal }).catch(() => null)
    if (answer?.status === 200) return
    // It would not react to a stop.
    await masthead.kill('SIGKILL')
    assert.fail(`The server is not responding after a handshake for ${JSON.stringify(after)}`)
  }
  for (const protocols of [[], ['h2', 'http/1.1'], ['acme-tls/1']]) {
    for (const name of oddNames) {
      await send(httpsPort, clientHello(Buffer.from(name), protocols))
      await assertHealthy(`${Buffer.from(name)} ${protocols}`)
    }
  }
  assert.equal(around.pebble.ordersMade(), 0)
  for (const name of ownNames) {
    await send(httpsPort, clientHello(Buffer.from(name)))
    await assertHealthy(name)
  }
  // After so many misses the address is refused for a second.
  const root = await around.pebble.issuerRootPem()
  const isServed = async () => {
    await assertServed(masthead, [own], { root, page: 'acme' })
    return true
  }
  await until(() => isServed().catch(() => false), { everyMs: 500 })
  let isStuck = false
  const end = setTimeout(() => {
    isStuck = true
    masthead.kill('SIGKILL')
  }, 30_000)
  await masthead.kill('SIGTERM')
  clearTimeout(end)
  assert.equal(isStuck, false)
})
