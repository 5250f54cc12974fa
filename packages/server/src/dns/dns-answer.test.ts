import assert from 'node:assert/strict'
import { test } from 'node:test'
import { answerTo } from './dns-answer.ts'
import type { DnsRecord, RecordType } from './dns-record.ts'
import type { DnsMessage } from './read-message.ts'

const record = (name: string, type: RecordType, value: string, ttl = 60): DnsRecord => ({
  name,
  type,
  ttl,
  value,
})
const start = (name: string, ttl: number, minimum: number): DnsRecord => ({
  ...record(name, 'SOA', `ns.${name} hostmaster.${name} 1 2 3 4 ${minimum}`, ttl),
  soa: { minimum },
})

function message(given: Partial<DnsMessage>): DnsMessage {
  return {
    id: 1,
    isResponse: true,
    isAuthoritative: true,
    isTruncated: false,
    rcode: 'NOERROR',
    question: null,
    answers: [],
    authority: [],
    additional: [],
    ...given,
  }
}
const question = { name: 'www.acme.test', type: 'A' } as const
const answered = (given: Partial<DnsMessage>, asked: { name: string; type: RecordType } = question) =>
  answerTo(asked, message(given))

test('the chain of CNAMEs is kept, and what does not belong to it is left out', () => {
  const belonging = [
    record('www.acme.test', 'CNAME', 'edge.pages.test'),
    record('edge.pages.test', 'A', '192.0.2.1'),
  ]
  const others = [
    record('bank.test', 'A', '192.0.2.66'),
    record('www.acme.test', 'TXT', 'nobody asked'),
    record('other.test', 'CNAME', 'www.acme.test'),
  ]
  assert.deepEqual(answered({ answers: [...others, ...belonging] }).answers, belonging)
})

test('a CNAME loop ends', () => {
  const answers = [record('www.acme.test', 'CNAME', 'a.test'), record('a.test', 'CNAME', 'www.acme.test')]
  assert.deepEqual(answered({ answers }).answers, answers)
})

test('a question for the CNAME is answered by that alone', () => {
  const first = record('www.acme.test', 'CNAME', 'a.test')
  const answers = [first, record('a.test', 'CNAME', 'b.test')]
  assert.deepEqual(answered({ answers }, { name: 'www.acme.test', type: 'CNAME' }).answers, [first])
})

test('at most a hundred records are kept', () => {
  const flood = (name: string, type: RecordType) =>
    Array.from({ length: 5000 }, (_, index) => record(name, type, `ns${index}.acme.test`))
  const { answers, authority, glue } = answered({
    answers: flood('www.acme.test', 'A'),
    authority: flood('acme.test', 'NS'),
    additional: flood('ns7.acme.test', 'A'),
  })
  assert.deepEqual([answers.length, authority.length, glue.length], [100, 100, 100])
})

test('all CAA records are kept, because any of them may be the one that allows us', () => {
  const asked = { name: 'www.acme.test', type: 'CAA' } as const
  const answers = Array.from({ length: 5000 }, (_, index) =>
    record('www.acme.test', 'CAA', `0 issue "ca${index}.test"`),
  )
  assert.equal(answered({ answers }, asked).answers.length, 5000)
})

test('a DNAME counts above the name it redirects, and nowhere else', () => {
  const above = record('acme.test', 'DNAME', 'other.test')
  const others = [
    record('www.acme.test', 'DNAME', 'itself.test'),
    record('bank.test', 'DNAME', 'evil.test'),
    record('acme.test', 'NS', 'ns.acme.test'),
  ]
  assert.equal(answered({ answers: others }).dname, undefined)
  assert.deepEqual(answered({ answers: [...others, above] }).dname, above)
})

test('authority is kept for zones of the name, glue for their nameservers', () => {
  const nameserver = record('acme.test', 'NS', 'ns.acme.test')
  const addresses = [
    record('ns.acme.test', 'A', '192.0.2.53'),
    record('ns.acme.test', 'AAAA', '2001:db8::53'),
  ]
  const { authority, glue } = answered({
    authority: [nameserver, record('bank.test', 'NS', 'ns.evil.test'), start('ww.acme.test', 1, 1)],
    additional: [
      ...addresses,
      record('ns.evil.test', 'A', '192.0.2.66'),
      record('ns.acme.test', 'TXT', 'hello'),
    ],
  })
  assert.deepEqual(authority, [nameserver])
  assert.deepEqual(glue, addresses)
})

test('a negative answer is cached for the shorter of the two times in the SOA', () => {
  assert.equal(answered({ rcode: 'NXDOMAIN', authority: [start('acme.test', 3600, 300)] }).negativeTtl, 300)
  assert.equal(answered({ authority: [start('acme.test', 60, 300)] }).negativeTtl, 60)
})

test('an answer with records, without an SOA or with a failure has no negative TTL', () => {
  const authority = [start('acme.test', 60, 60)]
  assert.equal(
    answered({ answers: [record('www.acme.test', 'A', '192.0.2.1')], authority }).negativeTtl,
    null,
  )
  assert.equal(answered({}).negativeTtl, null)
  assert.equal(answered({ rcode: 'SERVFAIL', authority }).negativeTtl, null)
})
