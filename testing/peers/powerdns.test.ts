import assert from 'node:assert/strict'
import { Resolver } from 'node:dns/promises'
import { test } from 'node:test'
import { startKnot } from './knot.ts'
import { skipWithout } from './peers.ts'
import { startPowerDns } from './powerdns.ts'

test('an ALIAS at an apex is answered with the addresses of its target', {
  skip: skipWithout('knot', 'powerdns'),
}, async () => {
  await using targets = await startKnot({ zones: { 'pages.test': 'edge A 192.0.2.7' } })
  await using server = await startPowerDns({
    resolver: targets,
    zones: { 'acme.test': '@ 300 ALIAS edge.pages.test.' },
  })
  const resolver = new Resolver({ timeout: 10_000, tries: 1 })
  resolver.setServers([`${server.address}:${server.port}`])
  assert.deepEqual(await resolver.resolve4('acme.test'), ['192.0.2.7'])

  await server.setZone('acme.test', '@ 300 A 192.0.2.8')
  assert.deepEqual(await resolver.resolve4('acme.test'), ['192.0.2.8'])
  await server.setZone('second.test', '@ A 192.0.2.9')
  assert.deepEqual(await resolver.resolve4('second.test'), ['192.0.2.9'])
})
