import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Finding } from '@masthead/contract/schemas/domains/dns-check.ts'
import { freeDnsPort } from '@masthead/testing/free-port.ts'
import { startKnot } from '@masthead/testing/peers/knot.ts'
import { skipWithout } from '@masthead/testing/peers/peers.ts'
import { startPowerDns } from '@masthead/testing/peers/powerdns.ts'
import { createDns, type DnsServer } from '../../dns/dns.ts'
import { startResolverOver } from '../../dns/split-resolver.test-kit.ts'
import { naming } from '../checking.test-kit.ts'
import { describeHostname } from '../hostname.ts'
import { type Coverage, wantedFor } from '../records.ts'
import { findMethods } from './judge.test-kit.ts'
import { judge } from './judge.ts'
import { observe } from './observe.ts'

const skip = skipWithout('knot')

/** What a person is told about a real zone. */
async function findingsFor(
  at: DnsServer,
  hostname: string,
  { port = at.port, coverage = null }: { port?: number; coverage?: Coverage | null } = {},
) {
  const dns = createDns({ servers: [at], authoritativePort: port, allowPrivate: true })
  const { kind } = describeHostname(hostname)
  const wanted = wantedFor({ hostname, kind, target: 'mine', proof: null, coverage }, naming)
  const observation = await observe(dns, wanted, { caa: [], findMethods, now: Date.UTC(2030, 0, 1) })
  return judge(observation, wanted)
}

const wordsOf = ({ message, fix }: Finding) => `${message} ${fix}`

test('a value without its final dot is recognized, whatever domain the provider appended', {
  skip,
}, async () => {
  await using server = await startKnot({
    zones: {
      'acme.test': 'www 60 CNAME mine.cname.masthead.test\nupper 60 CNAME MINE.cname.Masthead.test',
      'dept.acme.test': 'www 60 CNAME mine.cname.masthead.test',
      'other.test': 'www 60 CNAME mine.cname.masthead.test.acme.test.',
    },
  })
  for (const [hostname, appended] of [
    ['www.acme.test', 'acme.test'],
    ['upper.acme.test', 'acme.test'],
    ['www.dept.acme.test', 'dept.acme.test'],
  ] as const) {
    const { outcome, findings } = await findingsFor(server, hostname)
    assert.equal(outcome, 'wrong')
    const other = findings.find(({ code }) => code === 'cname_other')
    assert.match(other?.message ?? '', new RegExp(`your provider appended ${appended}\\.$`), hostname)
    assert.match(other?.fix ?? '', /enter the value with a dot at the end: mine\.cname\.masthead\.test\.$/)
  }
  const elsewhere = (await findingsFor(server, 'www.other.test')).findings.map(wordsOf).join(' ')
  assert.doesNotMatch(elsewhere, /appended/)
})

test('parking nameservers are to be changed before anything else', { skip }, async () => {
  await using server = await startKnot({
    zones: {
      'acme.test': '@ NS ns1.sedoparking.com.\n* 60 A 203.0.113.9\n@ 60 A 203.0.113.9',
      'sedoparking.com': 'ns1 A 127.0.0.1',
    },
  })
  for (const hostname of ['www.acme.test', 'acme.test']) {
    const [first] = (await findingsFor(server, hostname)).findings
    assert.equal(first?.code, 'nameservers_parked', hostname)
    assert.match(first?.fix ?? '', /^At your registrar, change the nameservers of acme\.test/)
  }
})

test('a resolver of ours that is down blames nobody else', { skip }, async () => {
  const port = await freeDnsPort('127.0.0.1')
  for (const hostname of ['www.acme.test', 'acme.test']) {
    const { outcome, findings } = await findingsFor({ address: '127.0.0.1', port }, hostname)
    assert.equal(outcome, 'unclear')
    const blocking = findings.filter(({ effect }) => effect !== 'tells')
    assert.deepEqual(
      blocking.map(({ code }) => code),
      ['resolver_down'],
    )
    assert.doesNotMatch(findings.map(wordsOf).join(' '), /registrar|your DNS/)
  }
})

test('nameservers of the domain that are down are still named, because our resolver answers', {
  skip,
}, async () => {
  await using parent = await startKnot({
    zones: { test: '@ NS ns\nns A 127.0.0.1\nacme NS ns.acme\nns.acme A 127.0.0.7' },
  })
  const codes = (await findingsFor(parent, 'www.acme.test')).findings.map(({ code }) => code)
  assert.ok(!codes.includes('resolver_down'), codes.join())
})

test('a CNAME at an apex blames the record, never the registry', {
  skip: skipWithout('knot', 'powerdns'),
}, async () => {
  const [parent, child] = ['127.0.0.14', '127.0.0.15'] as const
  const port = await freeDnsPort(parent, child)
  const zones = { test: `@ NS ns\nns A ${parent}\nacme NS ns.acme\nns.acme A ${child}` }
  await using over = await startKnot({ address: parent, port, zones })
  const own = { address: child, port, resolver: over, zones: { 'acme.test': '@ 60 CNAME elsewhere.test.' } }
  await using server = await startPowerDns(own)
  await using resolver = await startResolverOver(server, over)
  // Asked directly, and where nameservers cannot be asked, as behind a firewall.
  for (const asked of [port, await freeDnsPort('127.0.0.1')]) {
    const { outcome, findings } = await findingsFor(resolver, 'acme.test', { port: asked })
    assert.equal(outcome, 'wrong')
    assert.ok(
      findings.some(({ code }) => code === 'apex_cname'),
      findings.map(wordsOf).join(' '),
    )
    assert.doesNotMatch(findings.map(wordsOf).join(' '), /nameservers? of test\b|DNS provider of test\b/)
  }
})

test('a name below a DNAME blames that record, and no CNAME that nobody set', { skip }, async () => {
  const zones = { 'other.test': 'dn 60 DNAME acme.test.', 'acme.test': 'www A 192.0.2.1' }
  await using server = await startKnot({ zones })
  const { findings, changes } = await findingsFor(server, 'www.dn.other.test')
  const found = findings.find(({ code }) => code === 'cname_other')
  assert.match(found?.message ?? '', /because the DNAME record of dn\.other\.test sends every name below it/)
  assert.match(found?.fix ?? '', /replace the DNAME record of dn\.other\.test/)
  assert.deepEqual(found?.records, [{ type: 'DNAME', fqdn: 'dn.other.test', value: 'acme.test' }])
  assert.deepEqual(
    changes.map(({ action }) => action),
    ['add'],
  )
})

test('nobody has to give up the nameservers of a subdomain that the account has proved', {
  skip,
}, async () => {
  const above = 'app NS ns.app\nns.app A 127.0.0.1'
  await using server = await startKnot({ zones: { 'acme.test': above, 'app.acme.test': 'api A 192.0.2.1' } })
  const check = (coverage: Coverage | null) => findingsFor(server, 'app.acme.test', { coverage })
  const stranger = await check(null)
  assert.match(
    stranger.findings.map(wordsOf).join(' '),
    /`masthead domains prove app\.acme\.test`\. Then addr/,
  )

  const coverage = { by: 'own', domain: 'acme.test', rivalTarget: null } as const
  const { findings, changes, records } = await check(coverage)
  assert.equal(findings[0]?.code, 'apex_missing')
  assert.doesNotMatch(findings.map(wordsOf).join(' '), /remove/)
  assert.deepEqual(
    [...changes, ...records].map(({ type, name }) => [type, name]),
    [
      ['ALIAS', '@'],
      ['ALIAS', '@'],
    ],
  )
  await server.setZone('app.acme.test', `@ A ${naming.edgeAddresses[0]}\n@ AAAA ${naming.edgeAddresses[1]}`)
  assert.equal((await check(coverage)).outcome, 'right')
})
