import assert from 'node:assert/strict'
import { test } from 'node:test'
import { freeDnsPort } from '@masthead/testing/free-dns-port.ts'
import { startKnot } from '@masthead/testing/knot.ts'
import { skipWithout } from '@masthead/testing/peers.ts'
import { createDns } from '../../dns/dns.ts'
import { DnsFault } from '../../dns/dns-fault.ts'
import { checkName } from '../check-name.ts'
import { naming } from '../checking.test-kit.ts'
import { checkDns } from './check-dns.ts'

const skip = skipWithout('knot')
const now = () => Date.UTC(2030, 0, 1)

function contextAt(server: { address: string; port: number }) {
  const dns = createDns({ servers: [server], authoritativePort: server.port, allowPrivate: true })
  return { dns, naming, now }
}

test('checks of one name at the same time are one look at DNS', { skip }, async () => {
  await using server = await startKnot({ zones: { 'acme.test': '' } })
  const context = contextAt(server)
  const name = { hostname: 'www.acme.test', target: 'mine', challenge: null }
  const [first, second] = await Promise.all([checkDns(context, name), checkDns(context, name)])
  assert.equal(first, second)
  assert.notEqual(await checkDns(context, name), first)
})

test('a look for another target, or with the challenge, is not shared', { skip }, async () => {
  await using server = await startKnot({ zones: { 'acme.test': 'www CNAME mine.cname.masthead.test.' } })
  const context = contextAt(server)
  const [mine, other] = await Promise.all(
    ['mine', 'other'].map((target) =>
      checkDns(context, { hostname: 'www.acme.test', target, challenge: null }),
    ),
  )
  assert.deepEqual([mine?.check.outcome, other?.check.outcome], ['right', 'wrong'])
})

test('more looks at the same time than can be afforded are refused, until some have ended', async () => {
  const nowhere = { address: '127.0.0.1', port: await freeDnsPort('127.0.0.1') }
  const waited = Promise.withResolvers<void>()
  const silence = async () => {
    await waited.promise
    throw new DnsFault('timeout', 'Nobody answers')
  }
  const dns = { resolve: silence, findZone: silence, askEverywhere: silence }
  const check = (n: number) =>
    checkDns({ ...contextAt(nowhere), dns }, { hostname: `n${n}.acme.test`, target: 'mine', challenge: null })
  const looks = Array.from({ length: 1_000 }, (_, n) => check(n))
  await assert.rejects(check(1_000), { code: 'unavailable' })
  waited.resolve()
  for (const { check } of await Promise.all(looks)) assert.equal(check.outcome, 'unclear')
  assert.equal((await check(1_000)).check.outcome, 'unclear')
})

test('a name can be looked at before anybody adds it', { skip }, async () => {
  await using server = await startKnot({ zones: { 'acme.test': 'www A 203.0.113.9' } })
  const check = await checkName(contextAt(server), 'https://WWW.Acme.test/')
  assert.deepEqual([check.hostname, check.kind, check.zone], ['www.acme.test', 'subdomain', 'acme.test'])
  assert.ok(check.findings.some(({ code }) => code === 'address_conflict'))
  await assert.rejects(checkName(contextAt(server), 'not a name'), { code: 'hostname_invalid' })
})
