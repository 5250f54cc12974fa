import assert from 'node:assert/strict'
import { test } from 'node:test'
import { freeDnsPort } from '@masthead/testing/free-port.ts'
import { startKnot } from '@masthead/testing/peers/knot.ts'
import { skipWithout } from '@masthead/testing/peers/peers.ts'
import { startPowerDns } from '@masthead/testing/peers/powerdns.ts'
import { AUTHORITATIVE_ANSWER } from 'dns-packet'
import { answerBytes, startAnswerer } from './answerer.test-kit.ts'
import { createDns } from './dns.ts'
import { startResolverOver } from './split-resolver.test-kit.ts'

const serverFailure = 2
const [parent, dead] = ['127.0.0.6', '127.0.0.7'] as const

test('nameservers that the resolver cannot find are read from the zone above', {
  skip: skipWithout('knot'),
}, async () => {
  await using resolver = await startAnswerer(({ packet, reply }) => {
    const name = packet.questions?.[0]?.name
    const type = packet.questions?.[0]?.type
    if (name === 'test' && type === 'NS') {
      reply(answerBytes(packet, [{ name, type, ttl: 60, data: 'ns.test' }]))
    } else if (name === 'ns.test' && type === 'A') {
      reply(answerBytes(packet, [{ name, type, ttl: 60, data: parent }]))
    } else reply(answerBytes(packet, [], { flags: serverFailure }))
  })
  const port = await freeDnsPort(parent, dead)
  await using _parent = await startKnot({
    address: parent,
    port,
    zones: { test: `acme NS ns.acme\nns.acme A ${dead}` },
  })
  const dns = createDns({ servers: [resolver], authoritativePort: port, allowPrivate: true })
  const { zone, source, servers } = await dns.askNameservers('www.acme.test', ['A'])
  assert.equal(zone, 'acme.test')
  assert.equal(source, 'resolvers')
  assert.deepEqual(
    servers.map(({ name, outcome }) => `${name} ${outcome}`),
    ['ns.acme.test unreachable', 'resolver servfail'],
  )
})

test('a zone with a CNAME at its top is found by the referral of the zone above', {
  skip: skipWithout('knot', 'powerdns'),
}, async () => {
  const port = await freeDnsPort(parent, dead)
  const zones = { test: `@ NS ns\nns A ${parent}\nacme NS ns.acme\nns.acme A ${dead}` }
  await using over = await startKnot({ address: parent, port, zones })
  const records = '@ 60 CNAME mine.cname.masthead.test.'
  await using child = await startPowerDns({
    address: dead,
    port,
    resolver: over,
    zones: { 'acme.test': records },
  })
  await using resolver = await startResolverOver(child, over)
  const dns = createDns({ servers: [resolver], authoritativePort: port, allowPrivate: true })
  const { zone, source, servers } = await dns.askNameservers('acme.test', ['CNAME', 'A'])
  assert.deepEqual([zone, source], ['acme.test', 'authoritative'])
  assert.deepEqual(
    servers.map(({ outcome, answers }) => [outcome, answers.CNAME?.answers[0]?.value]),
    [['answered', 'mine.cname.masthead.test']],
  )
})

test('nameservers that only the zone above names are asked too, and so is a ninth', {
  skip: skipWithout('knot'),
}, async () => {
  const hosts = Array.from({ length: 11 }, (_, index) => `127.0.1.${index + 1}`)
  const port = await freeDnsPort(parent, ...hosts)
  const delegation = hosts.map((host, index) => `acme NS ns${index}.acme\nns${index}.acme A ${host}`)
  const zones = { test: ['@ NS ns', `ns A ${parent}`, ...delegation].join('\n') }
  await using over = await startKnot({ address: parent, port, zones })
  // The zone itself no longer names the last one, which still has an old record.
  const known = hosts.slice(0, 10).map((host, index) => `@ NS ns${index}\nns${index} A ${host}`)
  await using servers = new AsyncDisposableStack()
  for (const [index, address] of hosts.entries()) {
    const www = `www A 192.0.2.${index === 10 ? 99 : 1}`
    const zone = [...known, www].join('\n')
    servers.use(await startKnot({ address, port, zones: { 'acme.test': zone } }))
  }
  const [first = ''] = hosts
  await using resolver = await startResolverOver({ address: first, port }, over)
  const dns = createDns({ servers: [resolver], authoritativePort: port, allowPrivate: true })
  const seen = await dns.askNameservers('www.acme.test', ['A'])
  const values = seen.servers.map(({ address, answers }) => [address, answers.A?.answers[0]?.value])
  for (const [index, host] of hosts.entries()) {
    const value = values.find(([address]) => address === host)?.[1]
    assert.equal(value, `192.0.2.${index === 10 ? 99 : 1}`, host)
  }
})

test('if the resolver knows addresses but no zones, there is no zone', async () => {
  await using resolver = await startAnswerer(({ packet, reply }) => {
    const isAddress = packet.questions?.[0]?.type === 'A'
    reply(
      answerBytes(packet, isAddress ? [{ name: 'www.acme.test', type: 'A', ttl: 9, data: '192.0.2.1' }] : []),
    )
  })
  const dns = createDns({ servers: [resolver], authoritativePort: resolver.port, allowPrivate: true })
  assert.equal(await dns.findZone('www.acme.test'), null)
  const { zone, source, servers } = await dns.askNameservers('www.acme.test', ['A'])
  assert.deepEqual({ zone, source }, { zone: null, source: 'resolvers' })
  assert.equal(servers[0]?.answers.A?.answers[0]?.value, '192.0.2.1')
})

test('a zone that names thousands of servers has no more than 28 addresses asked', async () => {
  const asked = new Set<string>()
  const bytes = (name: string) => name.split('.')[0]?.slice(2)
  await using resolver = await startAnswerer(({ packet, reply }) => {
    const { name = '', type } = packet.questions?.[0] ?? {}
    if (type === 'NS') {
      const many = Array.from({ length: 40 }, (_, index) => `ns${index}.evil.test`)
      return reply(
        answerBytes(
          packet,
          many.map((data) => ({ name, type, ttl: 60, data })),
        ),
      )
    }
    if (type === 'A' && name.startsWith('ns')) {
      asked.add(name)
      const addresses = Array.from({ length: 30 }, (_, index) => `127.9.${bytes(name)}.${index + 1}`)
      return reply(
        answerBytes(
          packet,
          addresses.map((data) => ({ name, type, ttl: 60, data })),
        ),
      )
    }
    reply(answerBytes(packet, [], { flags: AUTHORITATIVE_ANSWER }))
  })
  const dns = createDns({ servers: [resolver], authoritativePort: resolver.port, allowPrivate: true })
  const { servers } = await dns.askNameservers('evil.test', ['A'])
  assert.equal(asked.size, 20)
  assert.equal(servers.filter(({ name }) => name !== 'resolver').length, 28)
})
