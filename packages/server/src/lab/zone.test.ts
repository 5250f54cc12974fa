import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { LabRecord, LabRecordType } from '@masthead/contract/schemas/lab.ts'
import type { RecordType } from '../dns/dns-record.ts'
import { createZone } from './zone.ts'

const naming = { platformDomain: 'masthead.localhost', edgeAddresses: ['127.0.0.1', '::1'] }
const target = 'k3v9x2m1qp.cname.masthead.localhost'

/** Records written as `name type value…`. */
function zoneOf(...lines: string[]) {
  const records = lines.map((line): LabRecord => {
    const [name = '', type, ...values] = line.split(' ')
    return { name, type: type as LabRecordType, values, ttl: 300 }
  })
  const zone = createZone(records, naming)
  return (name: string, type: RecordType | null) => {
    const { rcode, answers, authority } = zone({ name, type })
    const shown = answers.map((record) => `${record.name} ${record.type} ${record.value}`)
    return { rcode, answers: shown, authority: authority.map((record) => `${record.name} ${record.type}`) }
  }
}

test('a CNAME to a target of the platform leads to the addresses of the edge', () => {
  const ask = zoneOf(`www.acme.localhost CNAME ${target}`)
  const link = `www.acme.localhost CNAME ${target}`
  assert.deepEqual(ask('www.acme.localhost', 'CNAME').answers, [link])
  assert.deepEqual(ask('www.acme.localhost', 'A').answers, [link, `${target} A 127.0.0.1`])
  assert.deepEqual(ask('www.acme.localhost', 'AAAA').answers, [link, `${target} AAAA ::1`])
})

test('the platform domain and everything under it points to the edge', () => {
  const ask = zoneOf()
  for (const name of ['masthead.localhost', 'hello.masthead.localhost', target]) {
    assert.deepEqual(ask(name, 'A').answers, [`${name} A 127.0.0.1`])
    assert.deepEqual(ask(name, 'TXT'), {
      rcode: 'NOERROR',
      answers: [],
      authority: ['masthead.localhost SOA'],
    })
  }
})

test('every domain is its own zone, with or without records', () => {
  const ask = zoneOf(`www.acme.localhost CNAME ${target}`)
  for (const zone of ['localhost', 'masthead.localhost', 'acme.localhost', 'other.localhost']) {
    assert.deepEqual(ask(zone, 'NS').answers, [`${zone} NS ns.lab.localhost`])
    assert.match(ask(zone, 'SOA').answers[0] ?? '', new RegExp(`^${zone} SOA ns\\.lab\\.localhost `))
  }
  assert.deepEqual(ask('www.other.localhost', 'CNAME'), {
    rcode: 'NXDOMAIN',
    answers: [],
    authority: ['other.localhost SOA'],
  })
  assert.deepEqual(ask('ns.lab.localhost', 'A').answers, ['ns.lab.localhost A 127.0.0.1'])
})

test('a missing name, a missing type and a name with only children get different answers', () => {
  const ask = zoneOf('a.b.acme.localhost A 127.0.0.1')
  const authority = ['acme.localhost SOA']
  assert.deepEqual(ask('c.acme.localhost', 'A'), { rcode: 'NXDOMAIN', answers: [], authority })
  assert.deepEqual(ask('a.b.acme.localhost', 'TXT'), { rcode: 'NOERROR', answers: [], authority })
  assert.deepEqual(ask('a.b.acme.localhost', null), { rcode: 'NOERROR', answers: [], authority })
  assert.deepEqual(ask('b.acme.localhost', 'A'), { rcode: 'NOERROR', answers: [], authority })
})

test('"not found" is cached for five seconds', () => {
  const { authority } = createZone([], naming)({ name: 'x.localhost', type: 'A' })
  assert.equal(authority[0]?.ttl, 5)
  assert.match(authority[0]?.value ?? '', / 5$/)
})

test('an ALIAS answers with the addresses behind its target, under its own name', () => {
  const ask = zoneOf(
    `acme.localhost ALIAS www.acme.localhost`,
    `www.acme.localhost CNAME ${target}`,
    'acme.localhost TXT hello',
  )
  assert.deepEqual(ask('acme.localhost', 'A').answers, ['acme.localhost A 127.0.0.1'])
  assert.deepEqual(ask('acme.localhost', 'AAAA').answers, ['acme.localhost AAAA ::1'])
  assert.deepEqual(ask('acme.localhost', 'CNAME').answers, [])
  assert.deepEqual(ask('acme.localhost', 'TXT').answers, ['acme.localhost TXT hello'])
})

test('an ALIAS to nothing is an empty answer', () => {
  const ask = zoneOf('acme.localhost ALIAS gone.localhost')
  assert.deepEqual(ask('acme.localhost', 'A'), {
    rcode: 'NOERROR',
    answers: [],
    authority: ['acme.localhost SOA'],
  })
})

test('a CNAME to a missing name ends in "not found", one that leaves the lab ends with itself', () => {
  const ask = zoneOf('a.acme.localhost CNAME gone.acme.localhost', 'b.acme.localhost CNAME www.example.com')
  assert.deepEqual(ask('a.acme.localhost', 'A'), {
    rcode: 'NXDOMAIN',
    answers: ['a.acme.localhost CNAME gone.acme.localhost'],
    authority: ['acme.localhost SOA'],
  })
  assert.deepEqual(ask('b.acme.localhost', 'A'), {
    rcode: 'NOERROR',
    answers: ['b.acme.localhost CNAME www.example.com'],
    authority: [],
  })
})

test('loops of CNAME and ALIAS end', () => {
  const ask = zoneOf(
    'a.acme.localhost CNAME b.acme.localhost',
    'b.acme.localhost CNAME a.acme.localhost',
    'acme.localhost ALIAS self.acme.localhost',
    'self.acme.localhost ALIAS acme.localhost',
  )
  assert.equal(ask('a.acme.localhost', 'A').answers.length, 2)
  assert.deepEqual(ask('acme.localhost', 'A').answers, [])
})

test('a chain is followed for eight names', () => {
  const links = Array.from({ length: 20 }, (_, i) => `${i}.acme.localhost CNAME ${i + 1}.acme.localhost`)
  assert.equal(zoneOf(...links)('0.acme.localhost', 'A').answers.length, 8)
})

test('a wildcard answers only for names that do not exist', () => {
  const ask = zoneOf(
    '*.acme.localhost A 127.0.0.9',
    'www.acme.localhost TXT here',
    'x.www.acme.localhost TXT here',
  )
  assert.deepEqual(ask('any.acme.localhost', 'A').answers, ['any.acme.localhost A 127.0.0.9'])
  assert.deepEqual(ask('some.any.acme.localhost', 'A').answers, ['some.any.acme.localhost A 127.0.0.9'])
  assert.deepEqual(ask('www.acme.localhost', 'A').answers, [])
  assert.equal(ask('y.www.acme.localhost', 'A').rcode, 'NXDOMAIN')
})

test('names outside the lab are refused', () => {
  const ask = zoneOf()
  for (const name of [
    '',
    'com',
    'example.com',
    'notlocalhost',
    'localhost.example.com',
    'a\\046b.localhost',
  ]) {
    assert.deepEqual(ask(name, 'A'), { rcode: 'REFUSED', answers: [], authority: [] })
  }
})
