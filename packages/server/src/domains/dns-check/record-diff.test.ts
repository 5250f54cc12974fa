import assert from 'node:assert/strict'
import { test } from 'node:test'
import { judgeApex, judgeSubdomain, observed, proving, server, target, wantedAt } from './judge.test-kit.ts'
import { type Judgement, judge } from './judge.ts'

/** `change CNAME www old.example → new.example`, one line per change. */
function difference({ changes }: Judgement): string[] {
  return changes.map(
    ({ action, type, name, from, to }) => `${action} ${type} ${name} ${from ?? '-'} → ${to ?? '-'}`,
  )
}

function apexAt(nameserver: string, records: string[]): string[] {
  const servers = [server(nameserver, records)]
  return difference(judge(observed(servers, { hostname: 'acme.com' }), wantedAt('acme.com')))
}

test('at a subdomain conflicts are removed, wrong records changed and right ones kept', () => {
  const add = `add CNAME www - → ${target}`
  assert.deepEqual(difference(judgeSubdomain([])), [add])
  assert.deepEqual(difference(judgeSubdomain(['A 203.0.113.1'])), ['remove A www 203.0.113.1 → -', add])
  assert.deepEqual(difference(judgeSubdomain(['CNAME Old.example.'])), [
    `change CNAME www old.example → ${target}`,
  ])
  const keep = `keep CNAME www ${target} → ${target}`
  assert.deepEqual(difference(judgeSubdomain([`CNAME ${target}`])), [keep])
  const beside = difference(judgeSubdomain([`CNAME ${target}`, 'AAAA 2001:db8::1']))
  assert.deepEqual(beside, ['remove AAAA www 2001:db8::1 → -', keep])
})

test('a wildcard is kept, since a separate record overrides it', () => {
  const wildcard = { wildcard: '*.acme.com' }
  for (const records of [['A 203.0.113.1'], ['CNAME old.example']]) {
    assert.deepEqual(difference(judgeSubdomain(records, wildcard)), [`add CNAME www - → ${target}`])
  }
})

test("the record behind Cloudflare's proxy is changed without being known", () => {
  assert.deepEqual(difference(judgeSubdomain(['A 104.16.0.1'])), [`change CNAME www - → ${target}`])
  assert.deepEqual(difference(judgeApex(['A 104.16.0.1'])), [`change ALIAS @ - → ${target}`])
  const wildcard = { wildcard: '*.acme.com' }
  assert.deepEqual(difference(judgeSubdomain(['A 104.16.0.1'], wildcard)), [`add CNAME www - → ${target}`])
})

test('Cloudflare addresses in a zone hosted elsewhere are ordinary addresses', () => {
  const servers = [server('ns51.domaincontrol.com', ['A 104.18.1.1'])]
  assert.deepEqual(difference(judge(observed(servers), wantedAt('www.acme.com'))), [
    'remove A www 104.18.1.1 → -',
    `add CNAME www - → ${target}`,
  ])
  assert.deepEqual(apexAt('ns51.domaincontrol.com', ['A 104.18.1.1']), [
    'change A @ 104.18.1.1 → 192.0.2.7',
    'add AAAA @ - → 2001:db8::7',
  ])
})

test('a delegated subdomain gets its CNAME in the zone above, instead of the delegation', () => {
  const own = { hostname: 'www.eu.acme.com', zone: 'www.eu.acme.com', above: 'eu.acme.com' }
  const servers = [server('ns1.host.example', ['A 203.0.113.1']), server('ns2.host.example', [])]
  assert.deepEqual(difference(judge(observed(servers, own), wantedAt('www.eu.acme.com'))), [
    'remove NS www ns1.host.example → -',
    'remove NS www ns2.host.example → -',
    `add CNAME www - → ${target}`,
  ])
})

test('if one server has it right there is nothing to edit', () => {
  const servers = [server('ns1.acme.com', [`CNAME ${target}`]), server('ns2.acme.com', ['A 203.0.113.1'])]
  const judgement = judge(observed(servers), wantedAt('www.acme.com'))
  assert.deepEqual(difference(judgement), [`keep CNAME www ${target} → ${target}`])
})

test('an apex gets the record type that its provider has for it', () => {
  assert.deepEqual(apexAt('ns1.acme.com', []), [`add ALIAS @ - → ${target}`])
  assert.deepEqual(apexAt('gina.ns.cloudflare.com', []), [`add CNAME @ - → ${target}`])
  assert.deepEqual(apexAt('ns1.name.com', ['A 203.0.113.1', 'CNAME old.example']), [
    'remove A @ 203.0.113.1 → -',
    'remove CNAME @ old.example → -',
    `add ANAME @ - → ${target}`,
  ])
})

test('a provider without such a type gets addresses, changing old ones first', () => {
  assert.deepEqual(apexAt('ns1.domaincontrol.com', ['A 203.0.113.1', 'A 203.0.113.2']), [
    'remove A @ 203.0.113.2 → -',
    'change A @ 203.0.113.1 → 192.0.2.7',
    'add AAAA @ - → 2001:db8::7',
  ])
})

test('addresses of the edge are kept when others are removed', () => {
  assert.deepEqual(difference(judgeApex(['A 192.0.2.7', 'A 203.0.113.1'])), [
    'remove A @ 203.0.113.1 → -',
    'keep A @ 192.0.2.7 → 192.0.2.7',
  ])
  assert.deepEqual(difference(judgeApex(['A 192.0.2.7'])), ['keep A @ 192.0.2.7 → 192.0.2.7'])
})

test('the proof of ownership is added or kept, and other TXT values are left alone', () => {
  const [, missing] = difference(
    judgeApex(['A 192.0.2.7'], { challenge: ['other'] }, { proof: proving('proof') }),
  )
  assert.equal(missing, 'add TXT _masthead-challenge - → proof')
  const [, there] = difference(
    judgeApex(['A 192.0.2.7'], { challenge: ['other', 'proof'] }, { proof: proving('proof') }),
  )
  assert.equal(there, 'keep TXT _masthead-challenge proof → proof')
  const unasked = difference(judgeApex(['A 192.0.2.7'], { challenge: null }, { proof: proving('proof') }))
  assert.deepEqual(unasked, ['keep A @ 192.0.2.7 → 192.0.2.7'])
})

test('before the domain is added the diff has no new values', () => {
  const unadded = { target: null }
  assert.deepEqual(difference(judgeSubdomain(['CNAME old.example'], {}, unadded)), [
    'change CNAME www old.example → -',
  ])
  assert.deepEqual(difference(judgeApex(['A 203.0.113.1'], {}, unadded)), [
    'remove A @ 203.0.113.1 → -',
    'add ALIAS @ - → -',
  ])
})
