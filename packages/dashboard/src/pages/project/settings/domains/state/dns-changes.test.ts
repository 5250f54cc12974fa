import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  addressesInstead,
  changesToShow,
  instructionsText,
  mailto,
  pendingChanges,
} from '@masthead/contract/domains/record-formats/instructions.ts'
import type { RecordChange, RequiredDnsRecord } from '@masthead/contract/schemas/domains/dns-check.ts'
import { checkWith, cname, domainWith, failedCertificate, target } from './domain.test-kit.ts'

function change(action: RecordChange['action'], more: Partial<RecordChange> = {}): RecordChange {
  return {
    action,
    type: 'CNAME',
    name: 'help',
    fqdn: 'help.acme.com',
    from: null,
    to: target,
    ttl: 3600,
    ...more,
  }
}

test('conflicting records are removed before the record is added, and unchanged ones come last', () => {
  const check = checkWith({ changes: [change('keep'), change('add'), change('change'), change('remove')] })
  const actions = changesToShow(check, []).map(({ action }) => action)
  assert.deepEqual(actions, ['remove', 'change', 'add', 'keep'])
})

test('before the first check every record has to be added', () => {
  assert.deepEqual(changesToShow(null, [cname]), [change('add')])
})

test('after an unclear check the record still has to be added', () => {
  assert.deepEqual(pendingChanges(checkWith({ outcome: 'unclear' }), [cname]), [change('add')])
})

test('a record that was found is kept and needs no change', () => {
  const seen = { ...cname, status: 'ok' } as const
  assert.equal(changesToShow(null, [seen])[0]?.action, 'keep')
  assert.deepEqual(pendingChanges(null, [seen]), [])
})

test('addresses are offered only if an ALIAS or ANAME is required', () => {
  const alternatives: RequiredDnsRecord['alternatives'] = [{ type: 'A', value: '192.0.2.7' }]
  const records: RequiredDnsRecord[] = [{ ...cname, type: 'ALIAS', alternatives }]
  assert.deepEqual(addressesInstead([change('add', { type: 'ALIAS' })], records), alternatives)
  assert.deepEqual(addressesInstead([change('add', { type: 'ANAME' })], records), alternatives)
  // For a provider without either, the addresses are the records; Cloudflare takes a CNAME.
  assert.deepEqual(addressesInstead([change('add', { type: 'A' })], records), [])
  assert.deepEqual(addressesInstead([change('keep', { type: 'ALIAS' })], records), [])
})

const record = { name: 'help', fqdn: 'help.acme.com' }

test('the instructions say what to do, in which order, and where', () => {
  const { subject, body } = instructionsText(
    domainWith({
      lastCheck: checkWith({
        provider: 'Gandi',
        changes: [
          { action: 'add', type: 'CNAME', ...record, from: null, to: target, ttl: 3600 },
          { action: 'remove', type: 'A', ...record, from: '203.0.113.7', to: null, ttl: 300 },
        ],
      }),
    }),
  )
  assert.equal(subject, 'DNS records for help.acme.com')
  assert.equal(
    body,
    `To point help.acme.com to our site, please make these changes in the zone acme.com:

1. Remove the record
   Type:   A
   Name:   help   (in full: help.acme.com)
   Value:  203.0.113.7

2. Add a record
   Type:   CNAME
   Name:   help   (in full: help.acme.com)
   Value:  ${target}
   TTL:    3600

In Gandi: Domain → the domain → DNS records → Add record.

The certificate is issued automatically once the records are in place. Please leave all other records as they are.`,
  )
})

test('a hostname is given in Unicode and ASCII, and an apex with the addresses for providers without ALIAS', () => {
  const { body } = instructionsText(
    domainWith({
      unicode: 'bücher.example',
      hostname: 'xn--bcher-kva.example',
      records: [
        {
          ...cname,
          type: 'ALIAS',
          name: '@',
          fqdn: 'xn--bcher-kva.example',
          alternatives: [{ type: 'AAAA', value: '2001:db8::7' }],
        },
      ],
    }),
  )
  assert.match(body, /^To point bücher\.example \(xn--bcher-kva\.example\) to our site/)
  assert.match(
    body,
    /If ALIAS and ANAME are not available, set these at @ instead.*\n {3}AAAA {2}2001:db8::7\n/,
  )
})

test('a record to change is shown with its current value', () => {
  const changes = [
    { action: 'change', type: 'CNAME', ...record, from: 'old.example', to: target, ttl: 3600 } as const,
  ]
  const { body } = instructionsText(domainWith({ lastCheck: checkWith({ changes }) }))
  assert.match(body, /1\. Change the record\n.*\n.*\n {3}Is now: old\.example\n {3}Value: {2}k3v9/)
})

test('the instructions have the record that the certificate attempt missed, once', () => {
  const add = { type: 'CAA', fqdn: 'acme.com', value: '0 issue "ca.example"' }
  const changes = [{ action: 'keep', type: 'CNAME', ...record, from: target, to: target, ttl: 3600 } as const]
  const certificate = failedCertificate({ kind: 'caa_forbids', add })
  const { body } = instructionsText(domainWith({ certificate, lastCheck: checkWith({ changes }) }))
  const step =
    /1\. Add a record\n {3}Type: {3}CAA\n {3}Name: {3}@ .*acme\.com\)\n {3}Value: {2}0 issue "ca\.example"/
  assert.match(body, step)
  const seen = change('add', { type: 'CAA', name: '@', fqdn: 'acme.com', to: add.value })
  const both = instructionsText(
    domainWith({ certificate, lastCheck: checkWith({ changes: [...changes, seen] }) }),
  )
  assert.equal(both.body, body)
})

test('nothing in the text can add a recipient or a header to the email', () => {
  const link = mailto({ subject: 'a&cc=b@example.com', body: 'x\n?bcc=c@example.com' })
  const { pathname, searchParams } = new URL(link)
  assert.equal(pathname, '')
  assert.deepEqual([...searchParams.keys()], ['subject', 'body'])
  assert.equal(searchParams.get('body'), 'x\r\n?bcc=c@example.com')
})
