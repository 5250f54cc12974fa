import assert from 'node:assert/strict'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { test } from 'node:test'
import { freeDnsPort } from '@masthead/testing/free-port.ts'
import { startKnot } from '@masthead/testing/peers/knot.ts'
import { skipWithout } from '@masthead/testing/peers/peers.ts'
import { startPowerDns } from '@masthead/testing/peers/powerdns.ts'
import { AUTHORITATIVE_ANSWER, decode } from 'dns-packet'
import { answerBytes, startAnswerer } from './answerer.test-kit.ts'
import { createDns, type NameserverViews, type RecordType } from './dns.ts'

const options = { skip: skipWithout('knot') }

const resolverAddress = '127.0.0.2'
const [first, second, third] = ['127.0.0.3', '127.0.0.4', '127.0.0.5'] as const

/**
 * The parent zone, on a server that stands for the resolver as well: acme.test is delegated to as many servers as
 * addresses are given.
 */
function parentZone(...addresses: string[]): Record<string, string> {
  const nameservers = addresses.map((address, index) => [
    `acme NS ns${index + 1}.acme.test.`,
    `ns${index + 1}.acme A ${address}`,
  ])
  return { test: nameservers.flat().join('\n') }
}

async function startResolver(zones: Record<string, string>) {
  const port = await freeDnsPort(resolverAddress, first, second, third)
  const server = await startKnot({ address: resolverAddress, port, zones })
  const dns = createDns({ servers: [server], authoritativePort: port, allowPrivate: true })
  return { port, dns, server, [Symbol.asyncDispose]: server.stop }
}

const outcomes = ({ servers }: NameserverViews) =>
  servers.map(({ address, outcome }) => `${address} ${outcome}`)
const valuesBy = ({ servers }: NameserverViews, type: RecordType) =>
  servers.map(({ answers }) => answers[type]?.answers.map(({ value }) => value))

test('a zone is found through the resolver, with its servers and their addresses', options, async () => {
  await using resolver = await startResolver(parentZone(first, second))
  const zone = {
    name: 'acme.test',
    servers: [
      { name: 'ns1.acme.test', addresses: [first] },
      { name: 'ns2.acme.test', addresses: [second] },
    ],
  }
  assert.deepEqual(await resolver.dns.findZone('deep.down.WWW.acme.test.'), zone)
  assert.deepEqual(await resolver.dns.findZone('acme.test'), zone)
})

test('a name that is not delegated belongs to the zone above', options, async () => {
  await using resolver = await startResolver({ test: '' })
  const zone = await resolver.dns.findZone('www.nobody.test')
  assert.equal(zone?.name, 'test')
  const { source, servers } = await resolver.dns.askNameservers('www.nobody.test', ['A'])
  assert.equal(source, 'authoritative')
  assert.equal(servers[0]?.answers.A?.rcode, 'NXDOMAIN')
})

test('servers that disagree are both shown', options, async () => {
  await using resolver = await startResolver(parentZone(first, second))
  const { port, dns } = resolver
  await using _one = await startKnot({ address: first, port, zones: { 'acme.test': 'www CNAME old.test.' } })
  await using _two = await startKnot({ address: second, port, zones: { 'acme.test': 'www CNAME new.test.' } })
  const everywhere = await dns.askNameservers('www.acme.test', ['CNAME', 'A'])
  assert.equal(everywhere.zone, 'acme.test')
  assert.equal(everywhere.source, 'authoritative')
  assert.deepEqual(outcomes(everywhere), [`${first} answered`, `${second} answered`])
  assert.deepEqual(valuesBy(everywhere, 'CNAME'), [['old.test'], ['new.test']])
})

test('every server is asked before any of them has answered', options, async () => {
  await using resolver = await startResolver(parentZone(first, second))
  const { port, dns } = resolver
  const replies: (() => void)[] = []
  const sockets = [first, second].map((address) => {
    const socket = createSocket('udp4').bind(port, address)
    return socket.on('message', (message, from) => {
      const flags = AUTHORITATIVE_ANSWER
      replies.push(() => socket.send(answerBytes(decode(message), [], { flags }), from.port, from.address))
      if (replies.length === 2) for (const reply of replies) reply()
    })
  })
  await Promise.all(sockets.map((socket) => once(socket, 'listening')))
  const everywhere = await dns.askNameservers('www.acme.test', ['A'])
  for (const socket of sockets) socket.close()
  assert.deepEqual(outcomes(everywhere), [`${first} answered`, `${second} answered`])
  assert.equal(replies.length, 2)
})

test('a known zone is not looked up again', options, async () => {
  await using resolver = await startResolver(parentZone(first))
  const known = await resolver.dns.findZone('acme.test')
  assert.equal(known?.name, 'acme.test')
  assert.equal(await resolver.dns.findZone('_challenge.acme.test', { known }), known)
  assert.deepEqual(await resolver.dns.findZone('www.test', { known }), await resolver.dns.findZone('test'))
  const { servers } = await resolver.dns.askNameservers('www.acme.test', ['A'], { zone: known })
  assert.deepEqual(
    servers.map(({ name }) => name),
    ['ns1.acme.test', 'resolver'],
  )
})

test('an aborted lookup ends immediately, at every server', options, async () => {
  await using resolver = await startResolver(parentZone(first))
  const { port, dns } = resolver
  const off = new AbortController()
  const silent = createSocket('udp4').bind(port, first)
  silent.on('message', () => off.abort(new Error('enough')))
  await once(silent, 'listening')
  const { signal } = off
  await assert.rejects(dns.askNameservers('www.acme.test', ['A'], { signal }), { message: 'enough' })
  silent.close()
  await assert.rejects(dns.findZone('www.acme.test', { signal }), { message: 'enough' })
})

test('a change is seen as soon as the server has it', options, async () => {
  await using resolver = await startResolver(parentZone(first))
  await using server = await startKnot({ address: first, port: resolver.port, zones: { 'acme.test': '' } })
  const before = await resolver.dns.askNameservers('www.acme.test', ['A'])
  assert.equal(before.servers[0]?.answers.A?.rcode, 'NXDOMAIN')
  await server.setZone('acme.test', 'www A 192.0.2.1')
  assert.deepEqual(valuesBy(await resolver.dns.askNameservers('www.acme.test', ['A']), 'A'), [['192.0.2.1']])
})

test('a server that is down has another outcome than one that does not know the zone', options, async () => {
  await using resolver = await startResolver(parentZone(first, second, third))
  const { port, dns } = resolver
  await using _one = await startKnot({ address: first, port, zones: { 'acme.test': 'www A 192.0.2.1' } })
  await using _lame = await startKnot({ address: second, port, zones: { 'other.test': '' } })
  const everywhere = await dns.askNameservers('www.acme.test', ['A'])
  assert.deepEqual(outcomes(everywhere), [`${first} answered`, `${second} refused`, `${third} unreachable`])
})

test('a server that does not reply times out, and the others are used', options, async () => {
  await using resolver = await startResolver(parentZone(first, second))
  const { port, dns } = resolver
  await using _one = await startKnot({ address: first, port, zones: { 'acme.test': 'www A 192.0.2.1' } })
  const silent = createSocket('udp4').bind(port, second)
  await once(silent, 'listening')
  const everywhere = await dns.askNameservers('www.acme.test', ['A'])
  silent.close()
  assert.equal(everywhere.source, 'authoritative')
  assert.deepEqual(outcomes(everywhere), [`${first} answered`, `${second} timeout`])
})

test('a server that only refers to others is lame', options, async () => {
  await using resolver = await startResolver(parentZone(first))
  await using _above = await startKnot({ address: first, port: resolver.port, zones: parentZone(second) })
  assert.deepEqual(outcomes(await resolver.dns.askNameservers('www.acme.test', ['A'])), [`${first} lame`])
})

test(
  'if no nameserver can be reached, the resolver is used, and the failures are listed',
  options,
  async () => {
    const zones = { 'acme.test': `@ NS ns1\n@ NS ns2\nns1 A ${first}\nwww A 192.0.2.1` }
    await using resolver = await startResolver(zones)
    const everywhere = await resolver.dns.askNameservers('www.acme.test', ['A'])
    assert.equal(everywhere.source, 'resolvers')
    assert.equal(everywhere.zone, 'acme.test')
    assert.deepEqual(outcomes(everywhere), [
      `${first} unreachable`,
      'null no_address',
      `${resolverAddress} answered`,
    ])
    assert.deepEqual(everywhere.servers.at(-1)?.answers.A?.answers[0]?.value, '192.0.2.1')
  },
)

test('a nameserver at a private address is not asked unless that is allowed', options, async () => {
  await using resolver = await startResolver({ 'acme.test': `@ NS ns1\nns1 A ${first}\nwww A 192.0.2.2` })
  const { port, server } = resolver
  await using _one = await startKnot({ address: first, port, zones: { 'acme.test': 'www A 192.0.2.1' } })
  const dns = createDns({ servers: [server], authoritativePort: port, allowPrivate: false })
  const everywhere = await dns.askNameservers('www.acme.test', ['A'])
  assert.deepEqual(outcomes(everywhere), [`${first} private_address`, `${resolverAddress} answered`])
  assert.deepEqual(valuesBy(everywhere, 'A'), [undefined, ['192.0.2.2']])
  assert.deepEqual(valuesBy(await resolver.dns.askNameservers('www.acme.test', ['A']), 'A'), [['192.0.2.1']])
})

test('a text too large for a datagram arrives whole', options, async () => {
  await using resolver = await startResolver(parentZone(first))
  const strings = Array.from({ length: 12 }, (_, index) => String.fromCharCode(97 + index).repeat(250))
  const records = `long TXT ${strings.map((part) => `"${part}"`).join(' ')}`
  await using _one = await startKnot({ address: first, port: resolver.port, zones: { 'acme.test': records } })
  const everywhere = await resolver.dns.askNameservers('long.acme.test', ['TXT'])
  assert.deepEqual(valuesBy(everywhere, 'TXT'), [[strings.join('')]])
})

test('TTLs, the negative TTL and CAA are as on the server', options, async () => {
  await using resolver = await startResolver(parentZone(first))
  const records = `
    www 123 A 192.0.2.1
    @ 600 CAA 128 issue "ca.test; accounturi=https://ca.test/1"
    @ 600 CAA 0 iodef "mailto:a@acme.test"`
  const zones = { 'acme.test': { records, negativeTtl: 77 } }
  await using _one = await startKnot({ address: first, port: resolver.port, zones })
  const [www] = (await resolver.dns.askNameservers('www.acme.test', ['A', 'AAAA'])).servers
  assert.equal(www?.answers.A?.answers[0]?.ttl, 123)
  assert.equal(www?.answers.A?.negativeTtl, null)
  assert.equal(www?.answers.AAAA?.negativeTtl, 77)
  const [apex] = (await resolver.dns.askNameservers('acme.test', ['CAA'])).servers
  const caa = apex?.answers.CAA?.answers.map((record) => record.caa)
  assert.deepEqual(
    caa?.toSorted((a, b) => Number(b?.critical) - Number(a?.critical)),
    [
      { critical: true, tag: 'issue', value: 'ca.test; accounturi=https://ca.test/1' },
      { critical: false, tag: 'iodef', value: 'mailto:a@acme.test' },
    ],
  )
})

test('an ALIAS at an apex is seen as the addresses of its target', {
  skip: skipWithout('knot', 'powerdns'),
}, async () => {
  await using resolver = await startResolver({ ...parentZone(first), 'pages.test': 'edge A 192.0.2.7' })
  await using _apex = await startPowerDns({
    address: first,
    port: resolver.port,
    resolver: resolver.server,
    zones: { 'acme.test': '@ 300 ALIAS edge.pages.test.' },
  })
  const everywhere = await resolver.dns.askNameservers('acme.test', ['A', 'AAAA', 'CNAME'])
  assert.deepEqual(outcomes(everywhere), [`${first} answered`])
  assert.deepEqual(valuesBy(everywhere, 'A'), [['192.0.2.7']])
  assert.deepEqual(valuesBy(everywhere, 'CNAME'), [[]])
})

test('the second resolver is asked if the first is down or cannot answer', options, async () => {
  const port = await freeDnsPort(first, second, third)
  await using _refusing = await startKnot({ address: first, port, zones: { 'other.test': '' } })
  await using _knowing = await startKnot({ address: second, port, zones: { 'acme.test': 'www A 192.0.2.1' } })
  const at = (...addresses: string[]) =>
    createDns({
      servers: addresses.map((address) => ({ address, port })),
      authoritativePort: port,
      allowPrivate: true,
    })
  const { answers } = await at(third, first, second).resolve('www.acme.test', 'A')
  assert.deepEqual(
    answers.map(({ value }) => value),
    ['192.0.2.1'],
  )
  assert.equal((await at(third, first).resolve('www.acme.test', 'A')).rcode, 'REFUSED')
  await assert.rejects(at(third).resolve('www.acme.test', 'A'), { name: 'DnsError', kind: 'unreachable' })
  await assert.rejects(at().resolve('www.acme.test', 'A'), { name: 'DnsError', kind: 'unreachable' })
  assert.deepEqual(outcomes(await at(third).askNameservers('www.acme.test', ['A'])), [`${third} unreachable`])
})

const routing = ['A', 'AAAA', 'CNAME'] as const

function zoneAt(name: string, addresses: string[]) {
  return { name, servers: addresses.map((at) => ({ name: `ns.${name}`, addresses: [at] })) }
}

/** One server that answers everything, and many that never do. */
async function startBesideSilent(count: number) {
  const server = await startAnswerer(({ packet, reply }) => {
    reply(answerBytes(packet, [], { flags: AUTHORITATIVE_ANSWER }))
  })
  const { address, port } = server
  const silent = Array.from({ length: count }, (_, index) => `127.0.1.${index + 1}`)
  const sockets = silent.map((at) => createSocket('udp4').bind(port, at))
  await Promise.all(sockets.map((socket) => once(socket, 'listening')))
  return {
    address,
    silent,
    dns: createDns({ servers: [server], authoritativePort: port, allowPrivate: true }),
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.close()
      await server[Symbol.asyncDispose]()
    },
  }
}

test('zones whose many nameservers are silent leave room for the questions of others', async () => {
  await using servers = await startBesideSilent(28)
  const { dns, address, silent } = servers
  const off = new AbortController()
  const slow = Array.from({ length: 8 }, (_, index) => {
    const options = { zone: zoneAt(`evil${index}.test`, silent), signal: off.signal }
    return dns.askNameservers(`www.evil${index}.test`, routing, options)
  })
  const zone = zoneAt('acme.test', [address])
  const answered = await dns.askNameservers('www.acme.test', routing, { zone })
  off.abort(new Error('enough'))
  await Promise.allSettled(slow)
  assert.deepEqual(outcomes(answered), [`${address} answered`])
})

test('silent nameservers of a zone leave room for the questions to its others', async () => {
  await using servers = await startBesideSilent(4)
  const { dns, address, silent } = servers
  const zone = zoneAt('acme.test', [...silent, address])
  const names = Array.from({ length: 12 }, (_, index) => `www${index}.acme.test`)
  const views = await Promise.all(names.map((name) => dns.askNameservers(name, routing, { zone })))
  const expected = [...silent.map((at) => `${at} timeout`), `${address} answered`]
  for (const view of views) assert.deepEqual(outcomes(view), expected)
})
