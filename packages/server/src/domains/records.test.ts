import assert from 'node:assert/strict'
import { test } from 'node:test'
import { naming, proving, target } from './dns-check/judge.test-kit.ts'
import { recordName, uncheckedRecords, wantedFor } from './records.ts'

const unchecked = { ttl: 3600, status: 'unchecked', observed: [] }

test('a subdomain gets a CNAME to its own target', () => {
  const wanted = wantedFor(
    { hostname: 'shop.eu.acme.co.uk', kind: 'subdomain', target: 'k3v9x2m1qp', proof: null },
    naming,
  )
  assert.deepEqual(uncheckedRecords(wanted), [
    {
      purpose: 'routing',
      type: 'CNAME',
      name: 'shop.eu',
      fqdn: 'shop.eu.acme.co.uk',
      value: target,
      alternatives: [],
      ...unchecked,
    },
  ])
})

test('an apex gets an ALIAS with the addresses to set instead, and a TXT where it has to be proved', () => {
  const wanted = wantedFor(
    { hostname: 'acme.com', kind: 'apex', target: 'k3v9x2m1qp', proof: proving('proof') },
    naming,
  )
  assert.deepEqual(uncheckedRecords(wanted), [
    {
      purpose: 'routing',
      type: 'ALIAS',
      name: '@',
      fqdn: 'acme.com',
      value: target,
      alternatives: [
        { type: 'A', value: '192.0.2.7' },
        { type: 'AAAA', value: '2001:db8::7' },
      ],
      ...unchecked,
    },
    {
      purpose: 'ownership',
      type: 'TXT',
      name: '_masthead-challenge',
      fqdn: '_masthead-challenge.acme.com',
      value: 'proof',
      alternatives: [],
      ...unchecked,
    },
  ])
})

test('before it is added a name has no records to set', () => {
  assert.deepEqual(
    uncheckedRecords(wantedFor({ hostname: 'acme.com', kind: 'apex', target: null, proof: null }, naming)),
    [],
  )
})

test('a name keeps the kind it was added as, whatever becomes a public suffix later', () => {
  const as = (hostname: string, kind: 'apex' | 'subdomain') => {
    const wanted = wantedFor({ hostname, kind, target: 'k3v9x2m1qp', proof: null }, naming)
    return uncheckedRecords(wanted).map(({ type, name }) => `${type} ${name}`)
  }
  assert.deepEqual(as('acme.github.io', 'apex'), ['ALIAS @'])
  assert.deepEqual(as('acme.github.io', 'subdomain'), ['CNAME acme'])
  assert.deepEqual(as('www.acme.com', 'apex'), ['ALIAS @'])
})

test('records are named as in the zone where they are set', () => {
  const name = { hostname: 'www.eu.acme.com', registrable: 'acme.com' }
  const zones: [string | null, string][] = [
    [null, 'www.eu'],
    ['acme.com', 'www.eu'],
    ['eu.acme.com', 'www'],
    // A CNAME is not allowed at the top of a zone, so it goes into the one above.
    ['www.eu.acme.com', 'www.eu'],
    ['com', 'www.eu'],
    ['other.example', 'www.eu'],
  ]
  for (const [zone, relative] of zones)
    assert.equal(recordName(name.hostname, name, zone), relative, String(zone))
  assert.equal(recordName('_masthead-challenge.www.eu.acme.com', name), '_masthead-challenge.www.eu')
})
