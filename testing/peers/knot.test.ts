import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { Resolver } from 'node:dns/promises'
import { once } from 'node:events'
import { test } from 'node:test'
import { until } from '@masthead/testing/until.ts'
import { freeDnsPort } from '../free-port.ts'
import { startKnot } from './knot.ts'
import { skipWithout } from './peers.ts'

const skip = skipWithout('knot')

function asking(server: { address: string; port: number }): Resolver {
  const resolver = new Resolver({ timeout: 10_000, tries: 1 })
  resolver.setServers([`${server.address}:${server.port}`])
  return resolver
}

test('two servers share a port on different addresses and disagree about one zone', { skip }, async () => {
  const port = await freeDnsPort('127.0.0.2', '127.0.0.3')
  await using one = await startKnot({ address: '127.0.0.2', port, zones: { 'acme.test': 'www A 192.0.2.1' } })
  await using other = await startKnot({
    address: '127.0.0.3',
    port,
    zones: { 'acme.test': 'www A 192.0.2.2' },
  })
  assert.deepEqual(await asking(one).resolve4('www.acme.test'), ['192.0.2.1'])
  assert.deepEqual(await asking(other).resolve4('www.acme.test'), ['192.0.2.2'])
})

test('a changed zone and a new one are answered at once', { skip }, async () => {
  await using server = await startKnot({ zones: { 'acme.test': 'www A 192.0.2.1' } })
  await server.setZone('acme.test', { records: 'www 60 CNAME new.acme.test.', negativeTtl: 7 })
  await server.setZone('second.test', '@ NS ns.elsewhere.test.')
  assert.deepEqual(await asking(server).resolveCname('www.acme.test'), ['new.acme.test'])
  assert.equal((await asking(server).resolveSoa('acme.test')).minttl, 7)
  assert.deepEqual(await asking(server).resolveNs('second.test'), ['ns.elsewhere.test'])
})

test('a zone that cannot be read is reported with the words of the server', { skip }, async () => {
  await using server = await startKnot({ zones: { 'acme.test': '' } })
  await assert.rejects(
    server.setZone('acme.test', 'www A not-an-address'),
    /Knot does not serve acme\.test:.*failed to parse/is,
  )
})

test('a killed process leaves no server behind', { skip }, async () => {
  const program = `
    import { startKnot } from ${JSON.stringify(import.meta.resolve('./knot.ts'))}
    console.log((await startKnot({ zones: { 'acme.test': '' } })).port)
    setInterval(() => {}, 1000)`
  const owner = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = (await once(owner.stdout.setEncoding('utf8'), 'data')) as [string]
  const resolver = asking({ address: '127.0.0.1', port: Number(line) })
  const answers = () =>
    resolver.resolveSoa('acme.test').then(
      () => true,
      () => false,
    )
  assert.ok(await answers())

  owner.kill('SIGKILL')
  await until(async () => !(await answers()))
})
