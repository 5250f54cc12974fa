import assert from 'node:assert/strict'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { test } from 'node:test'
import { freeDnsPort } from '@masthead/testing/free-port.ts'
import { startKnot } from '@masthead/testing/peers/knot.ts'
import { skipWithout } from '@masthead/testing/peers/peers.ts'
import { startPowerDns } from '@masthead/testing/peers/powerdns.ts'
import { decode } from 'dns-packet'
import { createDns, type Dns } from '../../dns/dns.ts'
import { startResolverOver } from '../../dns/split-resolver.test-kit.ts'
import { naming } from '../checking.test-kit.ts'
import { describeHostname } from '../hostname.ts'
import { wantedFor } from '../records.ts'
import { findMethods, proving } from './judge.test-kit.ts'
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
  {
    challenge = null as string | null,
    identities = [''],
    port = at.port,
    signal = null as AbortSignal | null,
  } = {},
) {
  const dns = createDns({ servers: [at], authoritativePort: port, allowPrivate: true })
  const { kind } = describeHostname(hostname)
  const wanted = wantedFor(
    { hostname, kind, target: 'mine', proof: challenge === null ? null : proving(challenge) },
    naming,
  )
  const caa = [{ identities: identities.filter(Boolean) }]
  return observe(dns, wanted, { caa, findMethods, now, signal: signal ?? undefined })
}

test('a CNAME is observed with its TTL, without the addresses of its target', { skip }, async () => {
  const zone = 'www 60 CNAME other\nother A 192.0.2.1'
  await using server = await startKnot({ zones: { 'acme.test': zone } })
  const seen = await look(server, 'www.acme.test')
  const records = [{ type: 'CNAME', value: 'other.acme.test', ttl: 60 }]
  assert.deepEqual(
    [seen.zone, seen.source, seen.delegated, seen.wildcard],
    ['acme.test', 'authoritative', true, null],
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

test('a missing name is observed with its negative TTL', { skip }, async () => {
  await using server = await startKnot({ zones: { 'acme.test': { records: '', negativeTtl: 77 } } })
  const seen = await look(server, 'www.acme.test')
  assert.deepEqual(
    seen.servers.map(({ rcode, records, negativeTtl }) => [rcode, records, negativeTtl]),
    [['NXDOMAIN', [], 77]],
  )
  assert.equal(seen.resolvers.negativeTtl, 77)
})

test('an answer that random names get too is recognized as a wildcard', { skip }, async () => {
  const zone = '* CNAME mine.cname.masthead.test.\nown CNAME other.cname.masthead.test.'
  await using server = await startKnot({ zones: { 'acme.test': zone } })
  assert.equal((await look(server, 'www.acme.test')).wildcard, '*.acme.test')
  assert.equal((await look(server, 'own.acme.test')).wildcard, null)
  assert.equal((await look(server, 'a.b.acme.test')).wildcard, '*.acme.test')
})

test('the right level of a wildcard is found, and never outside of the zone', { skip }, async () => {
  const zones = {
    'acme.test': '* CNAME other.test.\n*.b CNAME mine.test.\neu NS ns.eu\nns.eu A 127.0.0.1',
    'eu.acme.test': '* CNAME other.test.',
  }
  await using server = await startKnot({ zones })
  assert.equal((await look(server, 'a.b.acme.test')).wildcard, '*.b.acme.test')
  assert.equal((await look(server, 'www.eu.acme.test')).wildcard, '*.eu.acme.test')
})

test('a delegated subdomain is observed with the zone above it', { skip }, async () => {
  const zones = {
    'acme.test': 'eu NS ns.eu\nns.eu A 127.0.0.1',
    'eu.acme.test': 'www NS ns.www\nns.www A 127.0.0.1\nshop A 192.0.2.1',
    'www.eu.acme.test': '',
  }
  await using server = await startKnot({ zones })
  const zonesOf = async (name: string) => {
    const { zone, above } = await look(server, name)
    return [zone, above]
  }
  assert.deepEqual(await zonesOf('www.eu.acme.test'), ['www.eu.acme.test', 'eu.acme.test'])
  assert.deepEqual(await zonesOf('shop.eu.acme.test'), ['eu.acme.test', null])
  assert.deepEqual(await zonesOf('acme.test'), ['acme.test', null])
})

test('disagreeing servers are observed separately, and only values that all of them have are proof', {
  skip,
}, async () => {
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

test('an unregistered domain differs from one without the record', { skip }, async () => {
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
  const allowed = { kind: 'allowed', methods: null }
  assert.deepEqual((await look(server, 'blog.acme.test', { identities })).caa, allowed)
  assert.deepEqual((await look(server, 'www.acme.test', { identities })).caa, {
    kind: 'forbidden',
    at: 'strict.other.test',
    behind: 'www.acme.test',
    records: [{ critical: false, tag: 'issue', value: 'other.test' }],
    why: 'only other.test may issue certificates',
    add: { fqdn: 'strict.other.test', value: '0 issue "letsencrypt.org"' },
  })
  assert.deepEqual((await look(server, 'www.acme.test')).caa, allowed)
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
  const wanted = wantedFor({ hostname: 'acme.test', kind: 'apex', target: 'mine', proof: null }, naming)
  assert.equal(judge(seen, wanted).outcome, 'right')
})

test('a CNAME at the domain itself is found through the zone above, with a fix', {
  skip: skipWithout('knot', 'powerdns'),
}, async () => {
  const [parent, child] = ['127.0.0.8', '127.0.0.9'] as const
  const port = await freeDnsPort(parent, child)
  const zones = { test: `@ NS ns\nns A ${parent}\nacme NS ns.acme\nns.acme A ${child}` }
  await using over = await startKnot({ address: parent, port, zones })
  const records = '@ 60 CNAME mine.cname.masthead.test.'
  const own = { address: child, port, resolver: over, zones: { 'acme.test': records } }
  await using server = await startPowerDns(own)
  await using resolver = await startResolverOver(server, over)
  const seen = await look(resolver, 'acme.test', { port })
  assert.deepEqual([seen.zone, seen.source], ['acme.test', 'authoritative'])
  const wanted = wantedFor({ hostname: 'acme.test', kind: 'apex', target: 'mine', proof: null }, naming)
  const { outcome, findings } = judge(seen, wanted)
  assert.equal(outcome, 'wrong')
  const [first] = findings
  assert.equal(first?.code, 'apex_cname')
  assert.match(first?.fix ?? '', /^Remove CNAME mine\.cname\.masthead\.test at @\./)
})

test('a resolver that answers only without validation means a DNSSEC failure', {
  skip,
}, async () => {
  await using server = await startKnot({ zones: { 'acme.test': 'www CNAME mine.cname.masthead.test.' } })
  await using distrustful = await startDistrustful(server)
  const seen = await look(distrustful, 'www.acme.test', { port: server.port })
  assert.deepEqual([seen.resolvers.rcode, seen.resolvers.dnssecFailure], ['SERVFAIL', true])
})

test('a resolver that fails once, or also without validation, is no DNSSEC failure', {
  skip,
}, async () => {
  await using server = await startKnot({ zones: { 'acme.test': 'www CNAME mine.cname.masthead.test.' } })
  let failures = 0
  await using moody = await startForwarder(server, (query) => {
    return isOf(query, 'CNAME') && failures++ === 0 ? serverFailure : null
  })
  const { resolvers } = await look(moody, 'www.acme.test', { port: server.port })
  assert.deepEqual([resolvers.rcode, resolvers.dnssecFailure], ['NOERROR', false])
  assert.deepEqual(
    resolvers.records.map(({ value }) => value),
    ['mine.cname.masthead.test'],
  )
  await using old = await startForwarder(server, (query) => (isUnchecked(query) ? refused : serverFailure))
  const seen = await look(old, 'www.acme.test', { port: server.port })
  assert.deepEqual([seen.resolvers.rcode, seen.resolvers.dnssecFailure], ['SERVFAIL', false])
})

test('an aborted observation ends immediately and leaves no query open', async () => {
  const off = new AbortController()
  let asked = 0
  await using silent = await startForwarder({ address: '127.0.0.1', port: 1 }, () => {
    asked++
    if (asked === 3) off.abort(new Error('enough'))
    return 'silence'
  })
  const options = { identities: ['letsencrypt.org'], challenge: 'proof', signal: off.signal }
  await assert.rejects(look(silent, 'www.acme.test', options), { message: 'enough' })
  await assert.rejects(look(silent, 'www.acme.test', options), { message: 'enough' })
})

test('after its deadline an observation sends no more queries, however long the name', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const signals: (AbortSignal | undefined)[] = []
  const silence = (options?: { signal?: AbortSignal | undefined }) => {
    signals.push(options?.signal)
    return new Promise<never>((_, reject) => {
      options?.signal?.addEventListener('abort', () => reject(options.signal?.reason))
    })
  }
  const dns: Dns = {
    resolve: (_name, _type, options) => silence(options),
    findZone: (_name, options) => silence(options),
    askNameservers: (_name, _types, options) => silence(options),
  }
  const hostname = `${'a.'.repeat(120)}acme.test`
  const wanted = wantedFor({ hostname, kind: 'subdomain', target: 'mine', proof: proving('proof') }, naming)
  const looking = observe(dns, wanted, { caa: [{ identities: ['letsencrypt.org'] }], findMethods, now })
  t.mock.timers.tick(12_000)
  const seen = await looking
  assert.deepEqual([seen.caa.kind, seen.challenge, seen.servers], ['unclear', null, []])
  const asked = signals.length
  await new Promise(setImmediate)
  assert.ok(signals.every((signal) => signal?.aborted))
  assert.equal(signals.length, asked)
})

test('without any answers the observation says so', async () => {
  const nowhere = { address: '127.0.0.1', port: await freeDnsPort('127.0.0.1') }
  const seen = await look(nowhere, 'acme.test', { challenge: 'proof', identities: ['letsencrypt.org'] })
  assert.deepEqual([seen.zone, seen.source, seen.delegated], [null, 'resolvers', true])
  assert.deepEqual([seen.challenge, seen.resolvers.rcode, seen.caa.kind], [null, null, 'unclear'])
  assert.ok(seen.servers.every(({ outcome }) => outcome !== 'answered'))
})

const serverFailure = 2
const refused = 5

function isUnchecked(query: Buffer): boolean {
  const checkingDisabled = 0x10
  return ((query[3] ?? 0) & checkingDisabled) !== 0
}

function isOf(query: Buffer, type: string): boolean {
  return decode(query).questions?.[0]?.type === type
}

/** Forwards queries, but fails unless validation is disabled, like a resolver that sees a bad signature. */
function startDistrustful(server: Resolver): Promise<Resolver & AsyncDisposable> {
  return startForwarder(server, (query) => (isUnchecked(query) ? null : serverFailure))
}

/** Forwards the queries for which `refusal` returns null. */
async function startForwarder(
  server: Resolver,
  refusal: (query: Buffer) => number | 'silence' | null,
): Promise<Resolver & AsyncDisposable> {
  const socket = createSocket('udp4')
  socket.on('message', (query, from) => {
    const rcode = refusal(query)
    if (rcode === 'silence') return
    if (rcode !== null) {
      const failure = Buffer.from(query)
      failure.writeUInt16BE(0x8180 + rcode, 2)
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
