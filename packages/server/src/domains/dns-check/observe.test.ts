import assert from 'node:assert/strict'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { test } from 'node:test'
import { freeDnsPort } from '@masthead/testing/free-dns-port.ts'
import { startKnot } from '@masthead/testing/knot.ts'
import { skipWithout } from '@masthead/testing/peers.ts'
import { startPowerDns } from '@masthead/testing/powerdns.ts'
import { createDns } from '../../dns/dns.ts'
import { naming } from '../checking.test-kit.ts'
import { wantedFor } from '../records.ts'
import { judge } from './judge.ts'
import { observe } from './observe.ts'

const skip = skipWithout('knot')
const now = Date.UTC(2030, 0, 1)

interface Resolver {
  address: string
  port: number
}

function look(
  at: Resolver,
  hostname: string,
  { challenge = null as string | null, identities = [''], port = at.port } = {},
) {
  const dns = createDns({ servers: [at], authoritativePort: port, allowPrivate: true })
  const wanted = wantedFor({ hostname, target: 'mine', challenge }, naming)
  return observe(dns, wanted, identities.filter(Boolean), now)
}

test('a CNAME is seen with its TTL, and not the addresses that it leads to', { skip }, async () => {
  const zone = 'www 60 CNAME other\nother A 192.0.2.1'
  await using server = await startKnot({ zones: { 'acme.test': zone } })
  const seen = await look(server, 'www.acme.test')
  const records = [{ type: 'CNAME', value: 'other.acme.test', ttl: 60 }]
  assert.deepEqual(
    [seen.zone, seen.source, seen.delegated, seen.wildcard],
    ['acme.test', 'authoritative', true, false],
  )
  assert.deepEqual(seen.servers, [
    {
      name: 'ns.acme.test',
      address: '127.0.0.1',
      outcome: 'answered',
      rcode: 'NOERROR',
      records,
      negativeTtl: null,
    },
  ])
  assert.deepEqual(seen.resolvers, { rcode: 'NOERROR', records, negativeTtl: null, dnssecFailure: false })
})

test('a name that is not there is seen with how long that may be remembered', { skip }, async () => {
  await using server = await startKnot({ zones: { 'acme.test': { records: '', negativeTtl: 77 } } })
  const seen = await look(server, 'www.acme.test')
  assert.deepEqual(
    seen.servers.map(({ rcode, records, negativeTtl }) => [rcode, records, negativeTtl]),
    [['NXDOMAIN', [], 77]],
  )
  assert.equal(seen.resolvers.negativeTtl, 77)
})

test('an answer that any name would get is known for a wildcard', { skip }, async () => {
  const zone = '* CNAME mine.cname.masthead.test.\nown CNAME other.cname.masthead.test.'
  await using server = await startKnot({ zones: { 'acme.test': zone } })
  assert.equal((await look(server, 'www.acme.test')).wildcard, true)
  assert.equal((await look(server, 'own.acme.test')).wildcard, false)
})

test('servers that disagree are seen apart, and only what all of them give is proof', { skip }, async () => {
  const port = await freeDnsPort('127.0.0.2', '127.0.0.3')
  const servers = '@ NS ns1\n@ NS ns2\nns1 A 127.0.0.2\nns2 A 127.0.0.3'
  const start = (address: string, records: string) =>
    startKnot({ address, port, zones: { 'acme.test': `${servers}\n${records}` } })
  await using one = await start(
    '127.0.0.2',
    '@ A 192.0.2.10\n_masthead-challenge TXT "both"\n_masthead-challenge TXT "one"',
  )
  await using _other = await start('127.0.0.3', '@ A 203.0.113.1\n_masthead-challenge TXT "both"')
  const seen = await look(one, 'acme.test', { challenge: 'one' })
  assert.deepEqual(
    seen.servers.map(({ name, records }) => [name, records.map(({ value }) => value)]).sort(),
    [
      ['ns1.acme.test', ['192.0.2.10']],
      ['ns2.acme.test', ['203.0.113.1']],
    ],
  )
  assert.deepEqual(seen.challenge, ['both'])
})

test('a domain that nobody registered is told from one without the record', { skip }, async () => {
  const registry = '@ NS ns\nns A 127.0.0.1\nacme NS ns.acme\nns.acme A 127.0.0.1'
  await using server = await startKnot({ zones: { test: registry, 'acme.test': '' } })
  assert.equal((await look(server, 'www.acme.test')).delegated, true)
  assert.equal((await look(server, 'www.nobody.test')).delegated, false)
})

test('CAA is found above the name and behind its CNAME', { skip }, async () => {
  const zones = {
    'acme.test': 'www CNAME strict.other.test.\n@ CAA 0 issue "letsencrypt.org"',
    'other.test': 'strict CAA 0 issue "other.test"',
  }
  await using server = await startKnot({ zones })
  const identities = ['letsencrypt.org']
  assert.deepEqual((await look(server, 'blog.acme.test', { identities })).caa, { kind: 'allowed' })
  assert.equal((await look(server, 'www.acme.test', { identities })).caa.kind, 'forbidden')
  assert.deepEqual((await look(server, 'www.acme.test')).caa, { kind: 'allowed' })
})

test('an ALIAS at an apex is seen as the addresses of its target', {
  skip: skipWithout('knot', 'powerdns'),
}, async () => {
  await using platform = await startKnot({
    zones: { 'masthead.test': 'mine.cname A 192.0.2.10\nmine.cname AAAA 2001:db8::10' },
  })
  await using server = await startPowerDns({
    resolver: platform,
    zones: { 'acme.test': '@ 60 ALIAS mine.cname.masthead.test.' },
  })
  const seen = await look(server, 'acme.test')
  assert.deepEqual(
    seen.servers.map(({ records }) => records.map(({ value }) => value)),
    [['192.0.2.10', '2001:db8::10']],
  )
  const wanted = wantedFor({ hostname: 'acme.test', target: 'mine', challenge: null }, naming)
  assert.equal(judge(seen, wanted).outcome, 'right')
})

test('a resolver that answers only when it need not validate is known for a DNSSEC failure', {
  skip,
}, async () => {
  await using server = await startKnot({ zones: { 'acme.test': 'www CNAME mine.cname.masthead.test.' } })
  await using distrustful = await startDistrustful(server)
  const seen = await look(distrustful, 'www.acme.test', { port: server.port })
  assert.deepEqual([seen.resolvers.rcode, seen.resolvers.dnssecFailure], ['SERVFAIL', true])
})

test('where nobody answers that is what is seen', async () => {
  const nowhere = { address: '127.0.0.1', port: await freeDnsPort('127.0.0.1') }
  const seen = await look(nowhere, 'acme.test', { challenge: 'proof', identities: ['letsencrypt.org'] })
  assert.deepEqual([seen.zone, seen.source, seen.delegated], [null, 'resolvers', true])
  assert.deepEqual([seen.challenge, seen.resolvers.rcode, seen.caa.kind], [null, null, 'unclear'])
  assert.ok(seen.servers.every(({ outcome }) => outcome !== 'answered'))
})

/** Passes questions on, but fails those that leave it to him to validate, as resolvers do with a bad signature. */
async function startDistrustful(server: Resolver): Promise<Resolver & AsyncDisposable> {
  const checkingDisabled = 0x10
  const socket = createSocket('udp4')
  socket.on('message', (query, from) => {
    if (((query[3] ?? 0) & checkingDisabled) === 0) {
      const failure = Buffer.from(query)
      failure.writeUInt16BE(0x8182, 2)
      socket.send(failure, from.port, from.address)
      return
    }
    const upstream = createSocket('udp4')
    upstream.once('message', (answer) => {
      socket.send(answer, from.port, from.address)
      upstream.close()
    })
    upstream.send(query, server.port, server.address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  const { address, port } = socket.address()
  return { address, port, [Symbol.asyncDispose]: async () => void socket.close() }
}
