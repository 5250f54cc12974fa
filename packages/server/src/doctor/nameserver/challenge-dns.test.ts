import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startKnot } from '@masthead/testing/peers/knot.ts'
import { skipWithout } from '@masthead/testing/peers/peers.ts'
import { startUnbound } from '@masthead/testing/peers/resolvers/unbound.ts'
import { startChallengeDns } from '../../certificates/challenge-dns/challenge-dns.ts'
import { openSqlite } from '../../database/each-database.test-kit.ts'
import { createDns } from '../../dns/dns.ts'
import { startDnsServer } from '../../dns/server/dns-server.ts'
import { refusedAnswer } from '../../dns/server/zone.ts'
import { checkChallengeDns } from './challenge-dns.ts'

const skip = skipWithout('knot', 'unbound')
const zone = 'acme.pages.test'
const naming = { platformDomain: 'pages.test', edgeAddresses: ['127.0.0.1'] }
const silent = { warn: () => {} }
const delegated = 'acme NS ns.acme\nns.acme A 127.0.0.1'

/** The platform's zone is at Knot, and unbound finds it and ours. */
async function startDelegation() {
  await using started = new AsyncDisposableStack()
  const database = started.use(await openSqlite())
  const listen = { address: '127.0.0.1', port: 0 }
  const ours = await startChallengeDns({ database, now: Date.now, listen, naming, log: silent })
  started.defer(() => ours.close())
  const knot = started.use(await startKnot({ zones: { 'pages.test': delegated } }))
  const resolver = started.use(await startUnbound({ 'pages.test': knot, [zone]: ours.address }))
  const [address = '', port] = resolver.server.split(':')
  const dns = createDns({
    servers: [{ address, port: Number(port) }],
    authoritativePort: knot.port,
    allowPrivate: true,
  })
  const running = started.move()
  return {
    knot,
    resolver,
    async examine(listenPort = ours.address.port) {
      const dnsListen = { address: '127.0.0.1', port: listenPort }
      const config = { ...naming, dnsListen, dnsPort: knot.port }
      return (await checkChallengeDns(config, dns, new AbortController().signal))
        .filter(({ status }) => status !== 'ok')
        .map(({ status, message, fix }) => `${status}: ${message} ${fix}`)
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  }
}

test('the delegation of our zone is checked as certificate authorities need it', { skip }, async () => {
  await using peers = await startDelegation()
  assert.deepEqual(await peers.examine(), [])

  await peers.knot.setZone('pages.test', 'www A 192.0.2.1')
  assert.deepEqual(await peers.examine(), [
    `problem: ${zone} is not delegated to this server. ` +
      `Add to the zone of pages.test: ${zone} NS ns.${zone} and ns.${zone} A 127.0.0.1.`,
  ])

  await peers.knot.setZone('pages.test', `acme NS ns.acme`)
  const [unglued = ''] = await peers.examine()
  assert.match(unglued, /^problem: The zone of pages\.test has no addresses for ns\.acme\.pages\.test\./)

  await peers.knot.setZone('pages.test', 'acme NS dns\ndns A 127.0.0.1')
  const [renamed = ''] = await peers.examine()
  assert.match(renamed, /^warning: .* is delegated to dns\.pages\.test, but this server calls itself ns\./)
})

test('a server that does not answer, or another one, is told apart', { skip }, async () => {
  await using peers = await startDelegation()
  // Resolvers reach it, so perhaps only this machine does not.
  const closed = await peers.examine(1)
  assert.deepEqual(
    closed.map((text) => text.replace(/ Open .*$/, '')),
    ['UDP', 'TCP'].map(
      (over) => `warning: 127.0.0.1, where ${zone} is delegated to, does not answer over ${over}.`,
    ),
  )
  const log = { warn: () => {} }
  const other = await startDnsServer({ host: '127.0.0.1', port: 0, answer: async () => refusedAnswer, log })
  try {
    const found = await peers.examine(other.address.port)
    assert.equal(found.length, 2)
    assert.ok(found.every((text) => /^problem: At 127\.0\.0\.1.* another nameserver answers/.test(text)))
  } finally {
    await other.close()
  }
  await peers.resolver[Symbol.asyncDispose]()
  const dead = await peers.examine(1)
  assert.ok(
    dead.every((text) => /could not be asked|does not answer over|do not find/.test(text)),
    dead.join('\n'),
  )
  assert.notDeepEqual(dead, [])
})

test('without a nameserver there is nothing to check', async () => {
  const config = { ...naming, dnsListen: null, dnsPort: null }
  const dns = createDns({ servers: [], authoritativePort: 53, allowPrivate: false })
  const [finding] = await checkChallengeDns(config, dns, new AbortController().signal)
  assert.equal(finding?.status, 'skipped')
})
