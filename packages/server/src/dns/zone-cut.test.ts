import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { DnsAnswer } from './dns-answer.ts'
import type { DnsRecord, RecordType } from './dns-record.ts'
import { readCutStep, readReferral } from './zone-cut.ts'

const record = (name: string, type: RecordType, value: string): DnsRecord => ({ name, type, ttl: 60, value })
const answer = (given: Partial<DnsAnswer>): DnsAnswer => ({
  rcode: 'NOERROR',
  authoritative: false,
  answers: [],
  authority: [],
  glue: [],
  negativeTtl: null,
  ...given,
})
const soa = (zone: string) => record(zone, 'SOA', `ns.${zone} h.${zone} 1 2 3 4 5`)

test('nameservers of the name itself are the cut', () => {
  const answers = ['ns2.host.test', 'ns1.host.test', 'ns1.host.test'].map((ns) =>
    record('acme.test', 'NS', ns),
  )
  assert.deepEqual(readCutStep('acme.test', answer({ answers })), {
    cut: { zone: 'acme.test', nameservers: ['ns1.host.test', 'ns2.host.test'], glue: [] },
  })
})

test('at most twenty nameservers are used', () => {
  const answers = Array.from({ length: 50 }, (_, index) => record('acme.test', 'NS', `ns${index}.host.test`))
  const step = readCutStep('acme.test', answer({ answers }))
  assert.ok('cut' in step)
  assert.equal(step.cut.nameservers.length, 20)
})

test('an SOA shows the top of the zone', () => {
  const given = answer({ rcode: 'NXDOMAIN', authority: [soa('acme.test')] })
  assert.deepEqual(readCutStep('a.b.acme.test', given), { next: 'acme.test' })
})

test('a zone without nameservers ends the search', () => {
  assert.deepEqual(readCutStep('acme.test', answer({ authority: [soa('acme.test')] })), { next: null })
})

test('with a CNAME, the authority section is about another name and is ignored', () => {
  const answers = [record('www.sub.acme.test', 'CNAME', 'target.acme.test')]
  const given = answer({ answers, authority: [soa('acme.test')] })
  assert.deepEqual(readCutStep('www.sub.acme.test', given), { next: 'sub.acme.test', isAlias: true })
})

test('after an empty or failed answer the search continues one label up', () => {
  assert.deepEqual(readCutStep('www.acme.test', answer({})), { next: 'acme.test' })
  const failed = answer({ rcode: 'SERVFAIL', authority: [soa('acme.test')] })
  assert.deepEqual(readCutStep('a.b.acme.test', failed), { next: 'b.acme.test' })
})

test('a referral leads down to the cut, with the addresses that came with it', () => {
  const glue = [record('ns.acme.test', 'A', '192.0.2.53')]
  const given = answer({ authority: [record('acme.test', 'NS', 'ns.acme.test')], glue })
  const cut = { zone: 'acme.test', nameservers: ['ns.acme.test'], glue }
  assert.deepEqual(readReferral('test', given), cut)
  assert.deepEqual(readCutStep('www.acme.test', given), { cut })
})

test('a referral upwards, or to the same zone, is ignored', () => {
  const given = answer({ authority: [record('test', 'NS', 'ns.test')] })
  assert.equal(readReferral('test', given), null)
  assert.equal(readReferral('acme.test', given), null)
  const up = answer({ authority: [record('', 'NS', 'a.root.test')] })
  assert.deepEqual(readCutStep('acme.test', up), { next: 'test' })
})
