import assert from 'node:assert/strict'
import { test } from 'node:test'
import { found, judgeSubdomain, observed, server, wantedAt } from '../judge.test-kit.ts'
import { judge } from '../judge.ts'

const hostname = 'www.xn--bcher-kva.example'

function judged(record: string) {
  const servers = [server('ns1.xn--bcher-kva.example', [record])]
  return judge(observed(servers, { hostname, zone: 'xn--bcher-kva.example' }), wantedAt(hostname))
}

test('a message shows an international name in Unicode, and its fix in ASCII', () => {
  const { message, records } = found(judged('A 203.0.113.1'), 'address_conflict')
  assert.match(message, /: www\.bücher\.example has A /)
  assert.deepEqual(
    records?.map(({ fqdn }) => fqdn),
    [hostname],
  )
})

test('a fix names the record as it has to be set', () => {
  const apex = 'xn--bcher-kva.example'
  const servers = [server('ns1.host.example', ['A 203.0.113.1'])]
  const { message, fix } = found(
    judge(observed(servers, { hostname: apex, zone: apex }), wantedAt(apex)),
    'apex_elsewhere',
  )
  assert.match(message, /^bücher\.example points/)
  assert.match(fix, /for xn--bcher-kva\.example/)
})

test('a lookalike name of someone else stays in ASCII', () => {
  const { message } = found(judged('CNAME xn--cme-7cd.example'), 'cname_other')
  assert.match(message, /of www\.bücher\.example points to xn--cme-7cd\.example/)
})

test('what a zone says stays short in a sentence', () => {
  const many = Array.from({ length: 50 }, (_, index) => `A 203.0.113.${index}`)
  const { message, records } = found(judgeSubdomain(many), 'address_conflict')
  assert.match(message, /A 203\.0\.113\.0, A 203\.0\.113\.1, A 203\.0\.113\.2 and 17 more, but only a CNAME/)
  assert.equal(records?.length, 20)
})
