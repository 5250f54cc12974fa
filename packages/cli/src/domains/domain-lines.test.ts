import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Domain } from '@masthead/contract/schemas/domains/domain.ts'
import { pendingDomain } from '../../test/sample-domains.ts'
import { certificateLines, domainLines, ownCertificateLines } from './domain-lines.ts'

const plain = (_style: unknown, text: string) => text
const place = { now: Date.parse('2026-11-14T12:00:00Z'), width: 70, also: ' --project site' }
const certificate: Domain['certificate'] = {
  status: 'pending',
  issuer: null,
  serial: null,
  notAfter: null,
  attempts: 1,
  nextAttemptAt: '2026-11-14T12:05:00Z',
  passedOver: [],
  own: null,
  lastError: {
    kind: 'caa_forbids',
    at: '2026-11-14T12:00:00Z',
    authority: "Let's Encrypt",
    message: 'A CAA record forbids it.',
    said: 'CAA record for acme.com prevents issuance\x1b[2J',
    hint: 'Add the record that is shown.',
    problem: null,
    add: { type: 'CAA', fqdn: 'acme.com', value: '0 issue "letsencrypt.org"' },
  },
}
const domain = { hostname: 'www.acme.com', advice: 'reverify', certificate } as Domain

test('a certificate in trouble shows the authority’s words, the record to add and the next attempt', () => {
  const text = certificateLines(domain, place, plain).join('\n')
  assert.match(text, /Let's Encrypt said: "CAA record for acme\.com prevents issuance/)
  assert.match(text, /^ {4}CAA {2}acme\.com {2}0 issue "letsencrypt\.org"$/m)
  assert.match(text, /The next attempt is at/)
  assert.match(text, /masthead domains reverify www\.acme\.com --project site$/m)
  assert.ok(!text.includes('\x1b'), 'what others said cannot drive the terminal')
})

test('without a problem there is nothing to say', () => {
  const well = { ...domain, certificate: { ...certificate, lastError: null } }
  assert.deepEqual(certificateLines(well, place, plain), [])
})

test('a certificate that was uploaded is shown, with what to do before it expires', () => {
  const own = {
    issuer: 'Corp CA\x1b[2J',
    serial: '01',
    names: ['www.acme.com'],
    notBefore: '2026-10-14T12:00:00Z',
    notAfter: '2026-11-20T12:00:00Z',
    trusted: false,
    inUse: true,
    uploadedAt: '2026-10-14T12:00:00Z',
  }
  const expiring = {
    ...domain,
    advice: 'replace_certificate',
    certificate: { ...certificate, own },
  } as Domain
  const text = ownCertificateLines(expiring, { ...place, width: 1_000 }).join('\n')
  assert.match(text, /is from Corp CA.* and valid until/)
  assert.match(text, /Browsers may not trust it/)
  assert.match(text, /masthead domains certificate www\.acme\.com --remove --project site/)
  assert.ok(!text.includes('\x1b'))
  assert.deepEqual(ownCertificateLines(domain, place), [])
})

const preparing: NonNullable<Domain['preparation']>['record'] = {
  type: 'CNAME',
  fqdn: '_acme-challenge.www.acme.com',
  name: '_acme-challenge.www',
  value: 'k3v9x2m1qp.acme.pages.example',
  ttl: 3600,
  status: 'ok',
  observed: [],
}

test('the record that prepares a move is shown with what it replaces', () => {
  const observed = [{ type: 'CNAME', value: 'abc.auth.example', ttl: 60 }]
  const record = { ...preparing, status: 'wrong', observed } as const
  const preparation = { record, certificate: false, tested: false, ready: false }
  const waiting = { ...pendingDomain('www.acme.com', place.now), preparation }
  assert.match(
    domainLines(waiting, place, plain).join('\n'),
    /It replaces the CNAME record that is there now: abc\.auth\.example$/m,
  )
})

test('a prepared domain shows what is left, and then which record moves it', () => {
  const preparation = { record: preparing, certificate: true, tested: false, ready: false }
  const waiting = { ...pendingDomain('www.acme.com', place.now), state: 'prepared', preparation } as const
  const show = (shown: Domain) => domainLines(shown, place, plain).join('\n')
  assert.match(show(waiting), /✓ Certificate in place\n {2}· Tested through our edge/)
  assert.doesNotMatch(show(waiting), /To move/)
  const ready = { ...waiting, preparation: { ...preparation, tested: true, ready: true } }
  assert.match(show(ready), /✓ Tested through our edge\n\nTo move www\.acme\.com here, change its records/)
})
